// Somebody looks at the page. Programs that only fetch it run no script and are not counted.
fetch(`${location.pathname}/views`, { method: "POST" });
