// Package openapi has tests of api/openapi.json with other people's programs: two
// linters, and a generator of clients. What the service answers is held against
// the description by its own tests.
package openapi
