package io.counterpoint.idempotency.examples.appplatform;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebElement;

/** Every button in a real browser, with its effect in the tables and the appearance of the page. */
@Tag("browser")
class PageInBrowserTest {

    private static TestPage test;
    private static Browser browser;

    @BeforeAll
    static void open() throws Exception {
        test = new TestPage(TestPlatform.damaged(), false);
        browser = new Browser(test.page.address());
    }

    @AfterAll
    static void close() {
        browser.close();
        test.close();
    }

    @Test
    void pressedButtonShowsDuplicatesWithoutAKeyAndNoneWithOne() throws Exception {
        browser.type("press-callers", 40);
        browser.type("press-lost", 50);
        long before = test.count("app");
        assertThat(browser.press("press", "press-go")).contains("The library kept one record for each key");
        assertThat(shown("protected")).isEqualTo("40");
        long without = test.count("app") - before - 40;
        assertThat(without).isGreaterThan(40);
        assertThat(shown("unprotected")).isEqualTo(Long.toString(without));
        assertThat(browser.all("#press-unprotected .strip .twice")).isNotEmpty();
        browser.screenshot("press", "1-press");
    }

    private static String shown(String mode) {
        return browser.text("#press-" + mode + " .counts dd");
    }

    @Test
    void leaderIsKilledAndAWaitingCallerTakesItsKeyOver() throws Exception {
        long before = test.count("chat_group");
        browser.choose("life-step", "before_commit");
        assertThat(browser.press("life", "life-lead")).contains("The leader has written the group");
        browser.begin("life", browser.element("life-wait"));
        browser.await("document.getElementById('life-record').textContent.includes('waiting callers3')");
        browser.element("life-kill").click();
        // Any of the callers may take the key over.
        browser.await("document.getElementById('life-record').textContent.includes('waiting callers0')"
                + " && document.getElementById('life-line').textContent.includes('executed')");
        assertThat(browser.text("#life-line")).contains("kill -9", "is dead", "executed", "replayed", "one group");
        assertThat(test.count("chat_group")).isEqualTo(before + 1);
        assertThat(browser.press("life", "life-ask")).contains("got the stored answer");
        browser.screenshot("life", "2-life-killed");
    }

    @Test
    void leaderIsCutOffAtItsCommitAndAfterAPause() throws Exception {
        long before = test.count("chat_group");
        browser.choose("life-step", "before_commit");
        browser.press("life", "life-lead");
        assertThat(browser.press("life", "life-before")).contains("fresh token: one group");
        browser.press("life", "life-lead");
        assertThat(browser.press("life", "life-after")).contains("found its own success");
        assertThat(test.count("chat_group")).isEqualTo(before + 2);

        browser.press("life", "life-lead");
        assertThat(browser.press("life", "life-pause")).contains("nobody takes the key over");
        assertThat(browser.press("life", "life-ask")).contains("The retry did nothing");
        assertThat(browser.press("life", "life-cut")).contains("lock is free");
        assertThat(browser.press("life", "life-ask")).contains("took the key over");
        assertThat(browser.press("life", "life-on")).contains("no longer its own");
        assertThat(test.count("chat_group")).isEqualTo(before + 3);
        browser.screenshot("life", "2-life-paused");
    }

    @Test
    void plantedDamageIsFoundCountedByADryRunAndMended() throws Exception {
        browser.press("break", "break-check");
        long before = found("doubled-policies");
        browser.choose("break-damage", "doubled_policy");
        assertThat(browser.press("break", "break-plant")).contains("the library did nothing");
        browser.press("break", "break-check");
        assertThat(found("doubled-policies")).isEqualTo(before + 1);
        browser.screenshot("break", "3-break-found");

        long audited = test.count("repair_audit");
        assertThat(browser.press("break", button("doubled-policies", "dry"))).contains("changed nothing");
        assertThat(test.count("repair_audit")).isEqualTo(audited);
        assertThat(browser.press("break", button("doubled-policies", "mend"))).contains("audit row for every change");
        assertThat(test.count("repair_audit")).isEqualTo(audited + before + 1);
        browser.await("document.querySelectorAll('#break-audit tr').length > 0");
        browser.press("break", "break-check");
        assertThat(found("doubled-policies")).isZero();
        browser.screenshot("break", "3-break-mended");
    }

    private static long found(String check) {
        return Long.parseLong(browser.text("#check-" + check + " .number"));
    }

    private static WebElement button(String check, String which) {
        return browser.all("#check-" + check + " ." + which).get(0);
    }

    @Test
    void pageFitsAPhoneAndIsUsableByKeyboardInTheDark() throws Exception {
        browser.size(true);
        browser.dark(true);
        try {
            assertThat(browser.overflow()).isLessThanOrEqualTo(0);
            browser.script("document.getElementById('press-callers').focus()");
            browser.focused().sendKeys(Keys.TAB, Keys.TAB, Keys.TAB);
            browser.focused().sendKeys("");
            browser.script("document.getElementById('press-go').focus()");
            browser.script("const p = document.getElementById('press'); p.dataset.seen = p.dataset.done || 0;");
            browser.focused().sendKeys(Keys.ENTER);
            assertThat(browser.said("press")).contains("The library kept");
            for (String part : List.of("press", "life", "break")) {
                browser.screenshot(part, "phone-dark-" + part);
            }
            assertThat(browser.overflow()).isLessThanOrEqualTo(0);
        } finally {
            browser.size(false);
            browser.dark(false);
        }
    }
}
