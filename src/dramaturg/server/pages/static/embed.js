"use strict";
// <script src="https://play.example.org/embed.js" data-episode="tea-with-walter" async></script>
// Puts an episode where the tag stands. `data-height` is the height of the frame in pixels.
(() => {
  const tag = document.currentScript;
  if (!tag || !tag.dataset.episode) return;
  const frame = document.createElement("iframe");
  frame.src = new URL(`/embed/${encodeURIComponent(tag.dataset.episode)}`, tag.src).href;
  frame.title = tag.dataset.title || "An episode to play";
  frame.width = "100%";
  frame.height = String(Math.max(320, Number(tag.dataset.height) || 640));
  frame.loading = "lazy";
  frame.allow = "autoplay; clipboard-write";
  frame.referrerPolicy = "no-referrer";
  frame.setAttribute("frameborder", "0");
  tag.after(frame);
})();
