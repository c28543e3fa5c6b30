package io.counterpoint.idempotency.examples.appplatform;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.openqa.selenium.By;
import org.openqa.selenium.Dimension;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.support.ui.Select;
import org.openqa.selenium.support.ui.WebDriverWait;

/** An installed, headless Chromium that shows the page. */
final class Browser implements AutoCloseable {

    private static final Path SCREENSHOTS = Path.of("target", "screenshots");
    private static final Dimension DESK = new Dimension(1200, 1500);
    private static final Duration LONGEST = Duration.ofSeconds(90);

    private final ChromeDriver driver;

    Browser(String address) {
        ChromeOptions options = new ChromeOptions();
        options.setBinary(installed("chromium"));
        // In a container, Chromium runs as root and has little shared memory.
        options.addArguments(
                "--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--force-device-scale-factor=1");
        // Otherwise Selenium looks for a driver and downloads one.
        System.setProperty("webdriver.chrome.driver", installed("chromedriver").getPath());
        driver = new ChromeDriver(options);
        driver.manage().window().setSize(DESK);
        driver.get(address);
        await("document.body.dataset.live === 'true'");
    }

    private static File installed(String program) {
        return List.of("/usr/bin/", "/usr/local/bin/", "/snap/bin/").stream()
                .map(folder -> new File(folder + program))
                .filter(File::canExecute)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException(
                        program + " is not installed: apt-get install chromium chromium-driver"));
    }

    /** Waits until a JavaScript condition holds. */
    void await(String condition) {
        new WebDriverWait(driver, LONGEST, Duration.ofMillis(50))
                .until(page -> Boolean.TRUE.equals(driver.executeScript("return " + condition)));
    }

    WebElement element(String id) {
        return driver.findElement(By.id(id));
    }

    List<WebElement> all(String selector) {
        return driver.findElements(By.cssSelector(selector));
    }

    String text(String selector) {
        return driver.findElement(By.cssSelector(selector)).getText();
    }

    void choose(String id, String value) {
        new Select(element(id)).selectByValue(value);
    }

    void type(String id, int number) {
        element(id).clear();
        element(id).sendKeys(Integer.toString(number));
    }

    /** Presses a button of a part, and waits until its action is done. Returns what the page then says. */
    String press(String part, String button) {
        return press(part, element(button));
    }

    String press(String part, WebElement button) {
        begin(part, button);
        return said(part);
    }

    /** Presses a button without waiting. */
    void begin(String part, WebElement button) {
        driver.executeScript(
                "const part = document.getElementById(arguments[0]); part.dataset.seen = part.dataset.done || 0;"
                        + " arguments[1].scrollIntoView({block: 'center'});",
                part,
                button);
        button.click();
    }

    /** Waits until the current action is done. */
    String said(String part) {
        await("(p => Number(p.dataset.done || 0) > Number(p.dataset.seen))(document.getElementById('" + part + "'))");
        return text("#" + part + " .said");
    }

    /** Resizes the window to that of a phone or a desktop. */
    void size(boolean phone) {
        driver.executeCdpCommand(
                "Emulation.setDeviceMetricsOverride",
                phone
                        ? Map.of("width", 390, "height", 844, "deviceScaleFactor", 2, "mobile", true)
                        : Map.of("width", 1200, "height", 1500, "deviceScaleFactor", 1, "mobile", false));
    }

    void dark(boolean dark) {
        driver.executeCdpCommand(
                "Emulation.setEmulatedMedia",
                Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", dark ? "dark" : "light"))));
    }

    /** How much wider the content is than the window. */
    long overflow() {
        return (Long) driver.executeScript(
                "return document.documentElement.scrollWidth - document.documentElement.clientWidth");
    }

    Object script(String script) {
        return driver.executeScript(script);
    }

    /** Saves a screenshot of a part. */
    void screenshot(String part, String name) throws IOException {
        Files.createDirectories(SCREENSHOTS);
        Files.write(SCREENSHOTS.resolve(name + ".png"), element(part).getScreenshotAs(OutputType.BYTES));
    }

    /** The element with the keyboard focus. */
    WebElement focused() {
        return driver.switchTo().activeElement();
    }

    @Override
    public void close() {
        driver.quit();
    }
}
