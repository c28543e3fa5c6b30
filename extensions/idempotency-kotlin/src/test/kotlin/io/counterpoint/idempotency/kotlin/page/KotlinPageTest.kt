package io.counterpoint.idempotency.kotlin.page

import io.counterpoint.idempotency.Attempt
import io.counterpoint.idempotency.Idempotency
import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore
import java.io.ByteArrayOutputStream
import java.io.PrintStream
import java.nio.file.Files
import java.nio.file.Path
import kotlin.io.path.extension
import kotlinx.coroutines.runBlocking
import org.assertj.core.api.Assertions.assertThat
import org.jdbi.v3.core.Jdbi
import org.junit.jupiter.api.Test

/** The snippets of docs/kotlin.md are those of this folder, which compile and run. */
class KotlinPageTest {
    private val page = Files.readString(Path.of("../../docs/kotlin.md"))

    private fun flat(text: String) = text.lines().joinToString("\n") { it.trim() }

    @Test
    fun everySnippetIsInASourceOfThisFolder() {
        val folder = Path.of("src/test/kotlin/io/counterpoint/idempotency/kotlin/page")
        val sources = Files.list(folder).use { files ->
            files.filter { it.extension == "kt" }.map { flat(Files.readString(it)) }.toList()
        }
        val snippets = Regex("(?s)```kotlin\n(.*?)```").findAll(page).map { flat(it.groupValues[1]) }.toList()
        assertThat(snippets).hasSize(4).allSatisfy { snippet ->
            assertThat(sources).anySatisfy { assertThat(it).contains(snippet) }
        }
    }

    @Test
    fun programPrintsWhatThePageShows() {
        val before = System.out
        val printed = ByteArrayOutputStream()
        System.setOut(PrintStream(printed))
        try {
            main()
        } finally {
            System.setOut(before)
        }
        assertThat(page).contains("```\n$printed```\n")
    }

    @Test
    fun snippetsDoWhatThePageSays() {
        val jdbi = Jdbi.create("jdbc:h2:mem:snippets;DB_CLOSE_DELAY=-1")
        jdbi.open().use { handle ->
            listOf("member (id text)", "team (id text)", "charge (id text)", "invitation (code text, attempt text)")
                .forEach { handle.execute("CREATE TABLE $it") }
        }
        val bank = object : Bank {
            override fun findCharge(key: String) = null

            override suspend fun charge(key: String, cents: Long) = "charged $cents"
        }
        val snippets = PageSnippets(Idempotency.on(JdbiIdempotencyStore.on(jdbi).createTableIfMissing()), bank)
        val attempt = Attempt.inScope("user:42").key("k").request("r")

        assertThat(List(2) { snippets.kinds(attempt).map { it.orElseThrow() } }.distinct()).hasSize(1)
        assertThat(snippets.batch(listOf(attempt.derive("1"))).map { it.orElseThrow().orElseThrow() })
            .containsExactly("code-0")
        repeat(2) {
            assertThat(runBlocking { snippets.charge(attempt, 1250) }.orElseThrow()).isEqualTo("charged 1250")
        }
        val counts = jdbi.open().use { handle ->
            listOf("member", "team", "charge", "invitation").map {
                handle.createQuery("SELECT count(*) FROM $it").mapTo(Int::class.java).one()
            }
        }
        assertThat(counts).containsExactly(1, 1, 1, 1)
    }
}
