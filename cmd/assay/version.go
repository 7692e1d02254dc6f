package main

import (
	"fmt"
	"runtime"

	"github.com/assay-dev/assay/internal/httpapi"
)

type versionCmd struct {
	JSON bool `name:"json" help:"Print JSON."`
}

// Help implements kong.HelpProvider.
func (versionCmd) Help() string {
	return `Examples:

    assay version
    assay version --json`
}

// versionInfo is the JSON form.
type versionInfo struct {
	Version    string `json:"version"`
	Commit     string `json:"commit,omitempty"`
	APIVersion string `json:"apiVersion"`
	Go         string `json:"go"`
	Platform   string `json:"platform"`
}

// Run implements the command.
func (v *versionCmd) Run(e *env) error {
	info := versionInfo{version, commit(), httpapi.APIVersion, runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH}
	if v.JSON {
		return writeJSON(e.stdout, info)
	}
	line := "assay " + info.Version
	if info.Commit != "" {
		line += " (" + info.Commit[:min(12, len(info.Commit))] + ")"
	}
	_, err := fmt.Fprintf(e.stdout, "%s, API %s, %s, %s\n", line, info.APIVersion, info.Go, info.Platform)
	return err
}
