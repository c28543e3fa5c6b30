"""Hooks of mkdocs: pages are written for the public host too, so some of what they hold is adapted for the site."""

import logging
import os
import re

log = logging.getLogger("mkdocs.hooks")

VERSION = os.environ.get("SITE_VERSION", "unversioned")
LINK = re.compile(r"(\]\(|^\[[^\]\n]+\]: )([^)\s]+)", re.MULTILINE)
FENCE = re.compile(r"^\s*(```|~~~)")
ITEM = re.compile(r"^\s*([-*]|\d+\.) ")


def on_config(config):
    """Fills in what the configuration cannot know: the version, the Javadoc, and pages that it does not name."""
    docs = config["docs_dir"]
    named = set(re.findall(r"[\w/.-]+\.md", repr(config["nav"])))
    pages = sorted(
        os.path.relpath(os.path.join(folder, name), docs)
        for folder, _, names in os.walk(docs)
        for name in names
        if name.endswith(".md")
    )
    decisions = [page for page in pages if page.startswith("decisions/") and page not in named]
    more = [page for page in pages if page not in named and page not in decisions]
    config["nav"] = [item for item in config["nav"] if "Javadoc" not in item]
    next(item for item in config["nav"] if "Decisions" in item)["Decisions"].extend(decisions)
    if more:
        config["nav"].append({"More": more})
    if os.environ.get("SITE_API"):
        config["nav"].append({"Javadoc": "/api-of-this-version/"})
    if os.path.exists(os.path.join(docs, "..", "target", "site-assets", "mermaid.min.js")):
        config["extra_javascript"] += ["assets/mermaid.min.js", "assets/diagrams.js"]
    return config


def on_page_markdown(markdown, page, config, files):
    """Links to files outside of the documentation lead to the public host; those to nowhere fail the build."""
    root = os.path.dirname(config["docs_dir"])
    here = os.path.dirname(page.file.abs_src_path)
    branch = "main" if VERSION.endswith("SNAPSHOT") or VERSION == "unversioned" else "v" + VERSION

    def adapted(match):
        target, _, anchor = match.group(2).partition("#")
        if not target or re.match(r"\w+:", target):
            return match.group(0)
        file = os.path.normpath(os.path.join(here, target))
        if file.startswith(config["docs_dir"] + os.sep):
            return match.group(0)
        if not os.path.exists(file):
            log.warning("%s: the link to %s leads nowhere", page.file.src_path, target)
        kind = "tree" if os.path.isdir(file) else "blob"
        link = f"{config['repo_url']}/{kind}/{branch}/{os.path.relpath(file, root)}"
        return match.group(1) + link + ("#" + anchor if anchor else "")

    parts = re.split(r"(^```.*?^```$)", markdown, flags=re.MULTILINE | re.DOTALL)
    return "".join(part if part.startswith("```") else lists(LINK.sub(adapted, part)) for part in parts)


def lists(text):
    """On the public host a list may follow a paragraph without a blank line, and be indented by two columns."""
    lines = []
    loose = False
    for line in text.split("\n"):
        quote = "> " if line.startswith("> ") else ""
        # Two columns are enough on the public host, and four are needed here.
        body = re.sub("^ +", lambda blanks: 2 * blanks.group(), line[len(quote) :])
        before = lines[-1].removeprefix(quote) if lines else ""
        if ITEM.match(body):
            # Without a blank line, an item also gets lost behind a paragraph or a block of code in the item before it.
            follows = loose or not before.startswith((" ", "|"))
            if before.strip(" >") and not ITEM.match(before) and follows:
                lines.append(quote.strip())
            loose = False
        elif not body.strip():
            loose = True
        lines.append(quote + body)
    return "\n".join(lines)


def on_page_content(html, page, config, files):
    """A list that is shown as text fails the build."""
    for paragraph in re.findall("<p>(.*?)</p>", html, re.DOTALL):
        if re.search(r"^(- |\d+\. )", paragraph, re.MULTILINE):
            log.warning("%s: a list is shown as text: %s", page.file.src_path, paragraph)
    return html


def on_post_page(output, page, config):
    """The Javadoc lies beside the pages of the same version."""
    return output.replace("/api-of-this-version/", "../" * page.url.count("/") + "api/index.html")
