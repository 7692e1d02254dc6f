package main

import "github.com/assay-dev/assay/internal/app"

type apiCmd struct {
	Migrate bool `help:"Bring the database schema up to date first."`
}

// Help implements kong.HelpProvider.
func (apiCmd) Help() string {
	return `Jobs that it accepts wait in the database until a worker (assay worker) takes them. With the embedded database
use assay serve instead: only one process may open the file.

Examples:

    assay api
    ASSAY_LISTEN=:8080 assay api --migrate`
}

// Run implements the command.
func (a *apiCmd) Run(e *env) error {
	c, err := e.config()
	if err != nil {
		return err
	}
	return e.service(c, app.Roles{API: true}, a.Migrate)
}
