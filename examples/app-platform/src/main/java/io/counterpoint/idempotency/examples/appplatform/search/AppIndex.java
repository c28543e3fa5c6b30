package io.counterpoint.idempotency.examples.appplatform.search;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import org.apache.lucene.analysis.Analyzer;
import org.apache.lucene.analysis.custom.CustomAnalyzer;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.SortedDocValuesField;
import org.apache.lucene.document.StringField;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.BooleanClause.Occur;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.MatchAllDocsQuery;
import org.apache.lucene.search.PrefixQuery;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.SearcherManager;
import org.apache.lucene.search.Sort;
import org.apache.lucene.search.SortField;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.store.ByteBuffersDirectory;
import org.apache.lucene.util.BytesRef;
import org.apache.lucene.util.IOFunction;
import org.apache.lucene.util.IOSupplier;
import org.apache.lucene.util.QueryBuilder;

/**
 * Apps by the words of their names, in memory. Case and accents make no difference; the names that have exactly the words
 * come before those that have longer ones. A query is plain text, so none is malformed. Thread-safe.
 *
 * <p>The index is a copy. It begins empty, and nothing of it outlives its process: its owner fills it.
 */
public final class AppIndex {

    private static final String ID = "id";
    private static final String WORKSPACE = "workspace";
    private static final String NAME = "name";
    private static final String ORDER = "order";

    /** Best first; the rest is for answers that are the same every time. */
    private static final Sort RANKING = new Sort(
            SortField.FIELD_SCORE,
            new SortField(ORDER, SortField.Type.STRING),
            new SortField(ID, SortField.Type.STRING));

    /** Words as Unicode has them, without case and accents. */
    private final Analyzer analyzer = unchecked(() -> CustomAnalyzer.builder()
            .withTokenizer("standard")
            .addTokenFilter("lowercase")
            .addTokenFilter("asciiFolding")
            .build());

    private final IndexWriter writer =
            unchecked(() -> new IndexWriter(new ByteBuffersDirectory(), new IndexWriterConfig(analyzer)));
    private final SearcherManager searchers = unchecked(() -> new SearcherManager(writer, null));

    /**
     * An app as search knows it.
     *
     * @param workspace where it is
     * @param name its name
     */
    public record Entry(long workspace, String name) {}

    /**
     * Writes an app's entry, in place of an earlier one.
     *
     * @param app the app
     * @param entry what it is found by
     */
    public void put(UUID app, Entry entry) {
        Document document = new Document();
        document.add(new StringField(ID, app.toString(), Field.Store.YES));
        document.add(new SortedDocValuesField(ID, new BytesRef(app.toString())));
        document.add(new StringField(WORKSPACE, Long.toString(entry.workspace()), Field.Store.YES));
        document.add(new TextField(NAME, entry.name(), Field.Store.YES));
        document.add(new SortedDocValuesField(ORDER, new BytesRef(entry.name().toLowerCase(Locale.ROOT))));
        long unused = unchecked(() -> writer.updateDocument(new Term(ID, app.toString()), document));
    }

    /**
     * Deletes an app's entry, if there is one.
     *
     * @param app the app
     */
    public void remove(UUID app) {
        long unused = unchecked(() -> writer.deleteDocuments(new Term(ID, app.toString())));
    }

    /**
     * The apps of a workspace whose names have all words of a text, as words or as the beginnings of words. A text without
     * words finds nothing, and an empty one finds everything.
     *
     * @param workspace the workspace
     * @param text the text
     * @param limit the most to answer
     * @return the apps, best first
     */
    public List<UUID> find(long workspace, String text, int limit) {
        Query words = text.isEmpty()
                ? new MatchAllDocsQuery()
                : new WordsOrBeginnings(analyzer).createBooleanQuery(NAME, text, Occur.MUST);
        if (words == null) {
            return List.of();
        }
        Query query = new BooleanQuery.Builder()
                .add(new TermQuery(new Term(WORKSPACE, Long.toString(workspace))), Occur.FILTER)
                .add(words, Occur.MUST)
                .build();
        return search(searcher -> {
            List<UUID> found = new ArrayList<>();
            for (ScoreDoc hit : searcher.search(query, limit, RANKING).scoreDocs) {
                found.add(UUID.fromString(
                        searcher.storedFields().document(hit.doc).get(ID)));
            }
            return found;
        });
    }

    /** A name has each word, or a longer one that begins with it, which counts less. */
    private static final class WordsOrBeginnings extends QueryBuilder {

        WordsOrBeginnings(Analyzer analyzer) {
            super(analyzer);
        }

        @Override
        protected Query newTermQuery(Term word, float boost) {
            return new BooleanQuery.Builder()
                    .add(new TermQuery(word), Occur.SHOULD)
                    .add(new PrefixQuery(word), Occur.SHOULD)
                    .build();
        }
    }

    /**
     * Everything in it: to be compared with the tables.
     *
     * @return entries by their apps
     */
    public Map<UUID, Entry> all() {
        return search(searcher -> {
            Map<UUID, Entry> all = new HashMap<>();
            int size = Math.max(1, searcher.getIndexReader().numDocs());
            for (ScoreDoc hit : searcher.search(new MatchAllDocsQuery(), size).scoreDocs) {
                Document document = searcher.storedFields().document(hit.doc);
                all.put(
                        UUID.fromString(document.get(ID)),
                        new Entry(Long.parseLong(document.get(WORKSPACE)), document.get(NAME)));
            }
            return all;
        });
    }

    /** Sees everything that was written before. */
    private <T> T search(IOFunction<IndexSearcher, T> search) {
        return unchecked(() -> {
            searchers.maybeRefreshBlocking();
            IndexSearcher searcher = searchers.acquire();
            try {
                return search.apply(searcher);
            } finally {
                searchers.release(searcher);
            }
        });
    }

    private static <T> T unchecked(IOSupplier<T> work) {
        try {
            return work.get();
        } catch (IOException e) {
            throw new UncheckedIOException("The index in memory has failed.", e);
        }
    }
}
