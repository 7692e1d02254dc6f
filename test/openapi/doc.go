// Package openapi checks api/openapi.json with two third-party linters. The console shows that clients
// can be generated from it, because its types are (test/console). The service's own tests compare its
// answers with the description.
package openapi
