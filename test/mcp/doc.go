// Package mcp tests /mcp and assay mcp with third-party programs: the official inspector, clients of
// two other SDKs, and the conformance suite of the protocol's authors. All of them use the
// demonstration, like assistants use a service. Their versions are pinned in package.json, and they
// are not part of the product.
//
// Rules of this project (permissions, bounds, refusals) are tested in internal/httpapi.
package mcp
