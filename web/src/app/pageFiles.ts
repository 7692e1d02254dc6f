// Starts to load the files of the page that the address names. The service lists them in links that
// load nothing yet, because the script of the frame comes first. This module must be the first of the console.
for (const link of document.querySelectorAll<HTMLLinkElement>("link[data-rel]")) link.rel = link.dataset["rel"]!;
