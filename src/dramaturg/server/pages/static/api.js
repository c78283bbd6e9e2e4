"use strict";
// Renders /openapi.json. Texts are only ever set as text, never as HTML.

const add = (parent, name, text, attributes = {}) => {
  const element = document.createElement(name);
  if (text !== undefined) element.textContent = text;
  Object.assign(element, attributes);
  parent.append(element);
  return element;
};

const shape = (schema) => {
  if (!schema) return "";
  if (schema.$ref) return schema.$ref.split("/").pop();
  const options = schema.anyOf || schema.oneOf;
  if (options) return options.map(shape).join(" or ");
  if (schema.type === "array") return `list of ${shape(schema.items)}`;
  return schema.const !== undefined ? JSON.stringify(schema.const) : schema.type || "any";
};

const rows = (parent, title, found) => {
  if (!found.length) return;
  add(parent, "h4", title);
  const table = add(parent, "table");
  for (const cells of found) {
    const row = add(table, "tr");
    cells.forEach((cell, place) => add(row, place ? "td" : "th", cell));
  }
};

const shapesOf = (content) => Object.entries(content || {}).map(([type, one]) => `${type} ${shape(one.schema)}`).join(", ");

const show = (parent, path, method, operation) => {
  const box = add(parent, "details", undefined, { className: "operation" });
  const head = add(box, "summary");
  add(head, "b", method.toUpperCase());
  add(head, "code", path);
  add(head, "span", operation.summary || "");
  add(box, "p", operation.description || "");
  rows(box, "Parameters", (operation.parameters || []).map((one) =>
    [one.name, one.in + (one.required ? ", required" : ""), shape(one.schema), one.description || ""]));
  if (operation.requestBody) add(box, "p", `Body: ${shapesOf(operation.requestBody.content)}`);
  rows(box, "Responses", Object.entries(operation.responses).map(([status, one]) =>
    [status, one.description, shapesOf(one.content)]));
};

const showSchemas = (parent, schemas) => {
  add(parent, "h2", "schemas");
  for (const [name, schema] of Object.entries(schemas)) {
    const box = add(parent, "details", undefined, { className: "operation" });
    add(box, "summary", name);
    add(box, "p", schema.description || "");
    rows(box, "Fields", Object.entries(schema.properties || {}).map(([field, one]) =>
      [field, shape(one), one.description || ""]));
  }
};

const find = (words) => {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  for (const box of document.querySelectorAll(".operation")) {
    const text = box.textContent.toLowerCase();
    box.hidden = !wanted.every((word) => text.includes(word));
  }
};

const start = async () => {
  const api = await (await fetch("/openapi.json")).json();
  document.getElementById("title").textContent = `${api.info.title} ${api.info.version}`;
  document.getElementById("summary").textContent = api.info.description;
  const main = document.getElementById("operations");
  for (const tag of api.tags) {
    add(main, "h2", tag.name);
    add(main, "p", tag.description, { className: "tag-about" });
    for (const [path, operations] of Object.entries(api.paths))
      for (const [method, operation] of Object.entries(operations))
        if (operation.tags.includes(tag.name)) show(main, path, method, operation);
  }
  showSchemas(main, api.components.schemas);
  document.getElementById("find").addEventListener("input", (event) => find(event.target.value));
};

start();
