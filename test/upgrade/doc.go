// Package upgrade tests upgrades: databases of every release, filled in every
// table, are brought to the newest schema on both engines, step by step, and
// everything in them is read by the newest code.
//
// The databases are dumps below testdata, one folder per release. A dump has its
// own schema, so that it is what an instance of the release has even where a
// migration was edited since; a test says when that happened. What fills a
// database for a dump is here too, and moves on with the product: an older dump
// is never made again.
package upgrade
