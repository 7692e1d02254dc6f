// Package openapi has tests of api/openapi.json with other people's programs: two
// linters. That clients can be made of it is shown by the console, whose types are
// generated from it (test/console); what the service answers is held against the
// description by its own tests.
package openapi
