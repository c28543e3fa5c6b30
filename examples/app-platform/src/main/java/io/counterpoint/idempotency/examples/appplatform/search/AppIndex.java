package io.counterpoint.idempotency.examples.appplatform.search;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import org.apache.lucene.analysis.Analyzer;
import org.apache.lucene.analysis.LowerCaseFilter;
import org.apache.lucene.analysis.TokenStream;
import org.apache.lucene.analysis.Tokenizer;
import org.apache.lucene.analysis.miscellaneous.ASCIIFoldingFilter;
import org.apache.lucene.analysis.standard.StandardTokenizer;
import org.apache.lucene.analysis.tokenattributes.CharTermAttribute;
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
import org.apache.lucene.search.BoostQuery;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.MatchAllDocsQuery;
import org.apache.lucene.search.PrefixQuery;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.SearcherManager;
import org.apache.lucene.search.Sort;
import org.apache.lucene.search.SortField;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.store.FSDirectory;
import org.apache.lucene.util.BytesRef;

/**
 * Apps by the words of their names, in a folder of one process. Case and accents make no difference; the names that have
 * exactly the words come before those that have longer ones. A query is plain text, so none is malformed. Thread-safe.
 *
 * <p>The index is a copy. It begins empty, and nothing of it outlives {@link #close}: its owner fills it.
 */
public final class AppIndex implements AutoCloseable {

    private static final String ID = "id";
    private static final String WORKSPACE = "workspace";
    private static final String NAME = "name";
    private static final String ORDER = "order";
    private static final float WHOLE_WORD = 4;

    /** Best first; the rest is for answers that are the same every time. */
    private static final Sort RANKING = new Sort(
            SortField.FIELD_SCORE,
            new SortField(ORDER, SortField.Type.STRING),
            new SortField(ID, SortField.Type.STRING));

    private final Analyzer analyzer = new Words();
    private final FSDirectory folder;
    private final IndexWriter writer;
    private final SearcherManager searchers;

    /**
     * An app as search knows it.
     *
     * @param workspace where it is
     * @param name its name
     */
    public record Entry(long workspace, String name) {}

    /**
     * Opens an empty index.
     *
     * @param path its folder, which no other process uses; what is in it is lost
     * @throws UncheckedIOException if the folder cannot be written
     */
    public AppIndex(Path path) {
        try {
            folder = FSDirectory.open(path);
            writer = new IndexWriter(
                    folder, new IndexWriterConfig(analyzer).setOpenMode(IndexWriterConfig.OpenMode.CREATE));
            searchers = new SearcherManager(writer, null);
        } catch (IOException e) {
            throw new UncheckedIOException("The folder of the index cannot be opened: " + path, e);
        }
    }

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
        unchecked(() -> writer.updateDocument(new Term(ID, app.toString()), document));
    }

    /**
     * Deletes an app's entry, if there is one.
     *
     * @param app the app
     */
    public void remove(UUID app) {
        unchecked(() -> writer.deleteDocuments(new Term(ID, app.toString())));
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
        BooleanQuery.Builder query = new BooleanQuery.Builder()
                .add(new TermQuery(new Term(WORKSPACE, Long.toString(workspace))), Occur.FILTER);
        if (text.isEmpty()) {
            query.add(new MatchAllDocsQuery(), Occur.MUST);
        } else {
            List<String> words = words(text);
            if (words.isEmpty()) {
                return List.of();
            }
            words.forEach(word -> query.add(word(word), Occur.MUST));
        }
        return search(searcher -> {
            List<UUID> found = new ArrayList<>();
            for (ScoreDoc hit : searcher.search(query.build(), limit, RANKING).scoreDocs) {
                found.add(UUID.fromString(
                        searcher.storedFields().document(hit.doc).get(ID)));
            }
            return found;
        });
    }

    private static BooleanQuery word(String word) {
        return new BooleanQuery.Builder()
                .add(new BoostQuery(new TermQuery(new Term(NAME, word)), WHOLE_WORD), Occur.SHOULD)
                .add(new PrefixQuery(new Term(NAME, word)), Occur.SHOULD)
                .build();
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

    private List<String> words(String text) {
        List<String> words = new ArrayList<>();
        unchecked(() -> {
            try (TokenStream tokens = analyzer.tokenStream(NAME, text)) {
                CharTermAttribute word = tokens.addAttribute(CharTermAttribute.class);
                tokens.reset();
                while (tokens.incrementToken()) {
                    words.add(word.toString());
                }
                tokens.end();
            }
        });
        return words;
    }

    /** Sees everything that was written before. */
    private <T> T search(Search<T> search) {
        try {
            searchers.maybeRefreshBlocking();
            IndexSearcher searcher = searchers.acquire();
            try {
                return search.in(searcher);
            } finally {
                searchers.release(searcher);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("The index in " + folder.getDirectory() + " cannot be read.", e);
        }
    }

    private void unchecked(Write write) {
        try {
            write.run();
        } catch (IOException e) {
            throw new UncheckedIOException("The index in " + folder.getDirectory() + " cannot be written.", e);
        }
    }

    @Override
    public void close() {
        unchecked(() -> {
            searchers.close();
            writer.rollback();
            folder.close();
            analyzer.close();
        });
    }

    @FunctionalInterface
    private interface Search<T> {
        T in(IndexSearcher searcher) throws IOException;
    }

    @FunctionalInterface
    private interface Write {
        void run() throws IOException;
    }

    /** Words as Unicode has them, without case and accents. */
    private static final class Words extends Analyzer {
        @Override
        protected TokenStreamComponents createComponents(String field) {
            Tokenizer words = new StandardTokenizer();
            return new TokenStreamComponents(words, new ASCIIFoldingFilter(new LowerCaseFilter(words)));
        }
    }
}
