// Package mcp has tests of /mcp and of assay mcp with other people's programs: the
// official inspector, clients of two other SDKs, and the conformance suite of the
// protocol's authors. All of them ask the demonstration, as assistants ask a service.
// Their versions are pinned in package.json; nothing of them is part of the product.
//
// What only this project can know of the endpoint (who may do what, bounds, refusals) is
// tested in internal/httpapi.
package mcp
