package main

import (
	"fmt"

	"github.com/assay-dev/assay/internal/httpapi"
)

type routesCmd struct {
	Unimplemented bool `help:"Everything that is not built: routes, lists, values, events and commands."`
	JSON          bool `name:"json" help:"Print JSON."`
}

// Help implements kong.HelpProvider.
func (routesCmd) Help() string {
	return `Examples:

    assay routes
    assay routes --unimplemented
    assay routes --json`
}

// routeLine is the JSON form of a route.
type routeLine struct {
	Method      string `json:"method"`
	Path        string `json:"path"`
	Permission  string `json:"permission"`
	Auth        string `json:"auth"`
	Body        string `json:"body,omitempty"`
	Audited     string `json:"audited,omitempty"`
	Implemented bool   `json:"implemented"`
	Filled      bool   `json:"filled"`
	BeyondSpec  bool   `json:"beyondSpecification"`
	Page        bool   `json:"page"`
}

// Run implements the command.
func (r *routesCmd) Run(e *env) error {
	if r.Unimplemented {
		return r.missing(e)
	}
	lines := []routeLine{}
	var rows [][]string
	for _, i := range httpapi.Routes() {
		l := routeLine{i.Method, i.Path, i.Permission, i.Auth, dash(i.Body), dash(i.Audited), i.Implemented, i.Filled, i.BeyondSpec, i.Page}
		lines = append(lines, l)
		state := "yes"
		if !i.Implemented {
			state = "no"
		} else if !i.Filled {
			state = "empty"
		}
		rows = append(rows, []string{i.Method, i.Path, i.Permission, i.Auth, cell(l.Body, 40), cell(l.Audited, 10), state})
	}
	if r.JSON {
		return writeJSON(e.stdout, lines)
	}
	if err := table(e.stdout, []string{"METHOD", "PATH", "PERMISSION", "AUTH", "BODY", "AUDITED", "BUILT"}, rows); err != nil {
		return err
	}
	e.say("%s", fmt.Sprintf("%d routes", len(rows)))
	return nil
}

// missing prints the parts that are not built.
func (r *routesCmd) missing(e *env) error {
	all := unimplemented()
	if r.JSON {
		return writeJSON(e.stdout, all)
	}
	var rows [][]string
	for _, m := range all {
		rows = append(rows, []string{m.Kind, m.Name, m.Says})
	}
	if err := table(e.stdout, []string{"WHAT", "NAME", "INSTEAD"}, rows); err != nil {
		return err
	}
	e.say("%d parts are not built", len(rows))
	return nil
}

// dash returns "" for the table's "-".
func dash(s string) string {
	if s == "-" {
		return ""
	}
	return s
}
