package main

import "github.com/alecthomas/kong"

// cli is the grammar of the command line. The type of each command is in a file with the command's name.
type cli struct {
	Config configFile `short:"c" placeholder:"FILE" help:"Configuration file (YAML). The environment wins over it. Default: $$ASSAY_CONFIG."`

	Serve   serveCmd   `cmd:"" group:"run" help:"Run everything in one process: API, pages, webhooks and workers."`
	API     apiCmd     `cmd:"" name:"api" group:"run" help:"Run the API and the webhook endpoint only."`
	Worker  workerCmd  `cmd:"" group:"run" help:"Run a worker only, for all lanes or some."`
	Migrate migrateCmd `cmd:"" group:"run" help:"Bring the database schema up to date."`

	Setup      setupCmd      `cmd:"" group:"operate" help:"Set a new instance up without a browser."`
	SetupToken setupTokenCmd `cmd:"" name:"setup-token" group:"operate" help:"Make a new link that opens the first setup."`
	Doctor     doctorCmd     `cmd:"" group:"operate" help:"Check the installation and say how to fix what is wrong."`
	ConfigCmd  configCmd     `cmd:"" name:"config" group:"operate" help:"The configuration."`
	Runs       runsCmd       `cmd:"" group:"operate" help:"Review runs, read from the database."`
	Jobs       jobsCmd       `cmd:"" group:"operate" help:"Jobs that were given up (dead letters)."`
	Calls      callsCmd      `cmd:"" group:"operate" help:"Model calls that never ended, and what they have cost."`
	Deliveries deliveriesCmd `cmd:"" group:"operate" help:"Webhook deliveries."`
	Admin      adminCmd      `cmd:"" group:"operate" help:"What needs access to the server: sign-in links, tenants, installations."`
	Keys       keysCmd       `cmd:"" group:"operate" help:"Instance keys: what needs them, and how they are taken out of use."`
	Audit      auditCmd      `cmd:"" group:"operate" help:"The audit log: verify an export, print its key."`

	Review reviewCmd `cmd:"" group:"local" help:"Review a change in a local checkout."`
	Hook   hookCmd   `cmd:"" group:"local" help:"Review what is pushed from a local checkout."`
	MCP    mcpCmd    `cmd:"" name:"mcp" group:"local" help:"Serve a coding assistant: review, explain, guidelines."`
	Eval   evalCmd   `cmd:"" group:"local" help:"Measure reviews on changes with known defects."`
	Import importCmd `cmd:"" group:"local" help:"Map settings of other review tools to a policy and rules."`

	OpenAPI    openapiCmd    `cmd:"" name:"openapi" group:"about" help:"Print the OpenAPI description of the HTTP interface."`
	Routes     routesCmd     `cmd:"" group:"about" help:"List the routes of the HTTP interface."`
	Version    versionCmd    `cmd:"" group:"about" help:"Print the version."`
	Completion completionCmd `cmd:"" group:"about" help:"Print a completion script for a shell."`

	Sim simCmd `cmd:"" hidden:"" help:"Simulated GitHub and scripted model, for the demo and for tests."`
}

// configFile is a type of its own, so that kong binds no other string to it.
type configFile string

func groups() []kong.Group {
	return []kong.Group{
		{Key: "run", Title: "Run the service:"},
		{Key: "operate", Title: "Look after it:"},
		{Key: "local", Title: "Without any service:"},
		{Key: "about", Title: "About this program:"},
	}
}
