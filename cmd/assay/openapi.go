package main

import (
	"github.com/assay-dev/assay/internal/httpapi"
	"github.com/assay-dev/assay/internal/logsafe"
)

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
	_, err = logsafe.Raw(e.stdout).Write(append(doc, '\n'))
	return err
}
