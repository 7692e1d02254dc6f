package main

import "github.com/assay-dev/assay/internal/httpapi"

type openapiCmd struct{}

// Help implements kong.HelpProvider.
func (openapiCmd) Help() string {
	return `Examples:

    assay openapi
    assay openapi > openapi.json`
}

// Run implements the command.
func (openapiCmd) Run(e *env) error {
	doc, err := httpapi.OpenAPI()
	if err != nil {
		return err
	}
	_, err = e.stdout.Write(append(doc, '\n'))
	return err
}
