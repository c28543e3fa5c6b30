// Draws the diagrams of a page once it is loaded.
mermaid.initialize({startOnLoad: false, flowchart: {nodeSpacing: 15}});
document.addEventListener("DOMContentLoaded", () => {
    for (const source of document.querySelectorAll("pre.diagram")) {
        const drawing = document.createElement("div");
        drawing.className = "drawing";
        drawing.textContent = source.textContent;
        source.replaceWith(drawing);
    }
    // On a narrow screen a flowchart scrolls: its words would be too small to read.
    mermaid.run({querySelector: ".drawing"}).then(() => {
        for (const drawn of document.querySelectorAll(".drawing svg[aria-roledescription^=flowchart]")) {
            drawn.style.minWidth = `calc(${drawn.style.maxWidth} * 0.55)`;
            drawn.parentElement.scrollLeft = (drawn.clientWidth - drawn.parentElement.clientWidth) / 2;
        }
    });
});
