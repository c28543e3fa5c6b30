// Draws the diagrams of a page once it is loaded.
mermaid.initialize({startOnLoad: false});
document.addEventListener("DOMContentLoaded", () => {
    for (const source of document.querySelectorAll("pre.diagram")) {
        const drawing = document.createElement("div");
        drawing.className = "drawing";
        drawing.textContent = source.textContent;
        source.replaceWith(drawing);
    }
    mermaid.run({querySelector: ".drawing"});
});
