// Package migrations embeds the schema's migrations in a folder per engine, with equal numbers. They
// consist of DDL and data changes in SQL only.
package migrations

import "embed"

// FS holds <engine>/NNNN_name.sql for goose.
//
//go:embed postgres/*.sql sqlite/*.sql
var FS embed.FS
