// Package migrations embeds the schema's steps, one folder per engine with
// equal numbers. Only DDL and data moves live here; no Go code runs in a step.
package migrations

import "embed"

// FS holds <engine>/NNNN_name.sql for goose.
//
//go:embed postgres/*.sql sqlite/*.sql
var FS embed.FS
