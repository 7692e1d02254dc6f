// Package upgrade tests upgrades: databases of every release, filled in every table, are migrated to
// the newest schema on both engines, step by step, and the newest code reads all their data.
//
// The databases are dumps below testdata, one folder per release. A dump has its own schema, so it
// equals an instance of the release even if a migration was edited since; a test reports such an edit.
// The code that fills a database for a dump is here, too, and changes with the product: an older dump
// is never made again.
package upgrade
