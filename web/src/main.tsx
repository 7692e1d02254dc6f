import "./app/pageFiles";
import "./app/styles";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { setNonce } from "get-nonce";
import { App } from "./app/App";
import { preparePrinting } from "./app/paper";

// Styles that are made while the console runs bear the nonce of this answer.
const nonce = document.querySelector<HTMLMetaElement>("meta[name=csp-nonce]")?.content ?? "";
setNonce(nonce);

const root = document.getElementById("root");
if (!root) throw new Error("index.html has no #root");
preparePrinting();
createRoot(root).render(
  <StrictMode>
    <App nonce={nonce} />
  </StrictMode>,
);
