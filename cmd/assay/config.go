package main

import (
	"errors"
	"fmt"

	"github.com/assay-dev/assay/internal/config"
)

type configCmd struct {
	Check    configCheckCmd    `cmd:"" help:"Show the effective configuration and what is wrong with it."`
	Validate configValidateCmd `cmd:"" help:"Check a repository's .assay.yaml."`
	Explain  configExplainCmd  `cmd:"" help:"Show what a repository's .assay.yaml changes."`
	Schema   configSchemaCmd   `cmd:"" help:"Print the JSON Schema of .assay.yaml, for editors."`
}

type configCheckCmd struct {
	All  bool `help:"Also settings that have their default."`
	JSON bool `name:"json" help:"Print JSON."`
}

// Help implements kong.HelpProvider.
func (configCheckCmd) Help() string {
	return `Secrets are never printed. Nothing is connected to: see assay doctor for that. Exit code: 0 when valid, 1 when not.

Examples:

    assay config check
    assay config check --all
    assay config check --config /etc/assay/assay.yaml --json`
}

// configReport is the JSON form.
type configReport struct {
	Valid    bool            `json:"valid"`
	Problems []configProblem `json:"problems"`
	Unknown  []string        `json:"unknown"`
	Settings []configSetting `json:"settings"`
}

type configProblem struct {
	Setting  string `json:"setting,omitempty"`
	Variable string `json:"variable,omitempty"`
	Place    string `json:"place,omitempty"`
	Message  string `json:"message"`
}

type configSetting struct {
	Name     string `json:"name"`
	Variable string `json:"variable"`
	Value    string `json:"value"`
	Origin   string `json:"origin"`
	Place    string `json:"place,omitempty"`
}

// Run implements the command.
func (c *configCheckCmd) Run(e *env) error {
	got, err := e.config()
	r := configReport{Valid: err == nil, Problems: []configProblem{}, Unknown: unknownVars(got), Settings: []configSetting{}}
	var problems config.Problems
	if errors.As(err, &problems) {
		for _, p := range problems {
			r.Problems = append(r.Problems, configProblem{p.Name, p.Env, p.Place, p.Message})
		}
	} else if err != nil {
		return err
	}
	if r.Unknown == nil {
		r.Unknown = []string{}
	}
	for _, s := range got.Effective() {
		if c.All || c.JSON || s.Source != config.FromDefault {
			r.Settings = append(r.Settings, configSetting{s.Name, s.Env, s.Value, s.Source, s.Place})
		}
	}
	if c.JSON {
		err = writeJSON(e.stdout, r)
	} else {
		err = e.printConfig(r, problems)
	}
	if err == nil && !r.Valid {
		return quiet(exitFailed)
	}
	return err
}

func (e *env) printConfig(r configReport, problems config.Problems) error {
	rows := [][]string{}
	for _, s := range r.Settings {
		origin := s.Origin
		if s.Place != "" {
			origin = s.Place
		}
		rows = append(rows, []string{s.Name, cell(s.Value, 60), printable(origin)})
	}
	if len(rows) == 0 {
		fmt.Fprintln(e.stdout, "Nothing is set: every setting has its default (--all shows them).")
	} else if err := table(e.stdout, []string{"SETTING", "VALUE", "FROM"}, rows); err != nil {
		return err
	}
	for _, name := range r.Unknown {
		e.say("warning: %s is not a setting and was ignored", printable(name))
	}
	for _, p := range problems {
		e.say("problem: %s", printable(p.String()))
	}
	if r.Valid {
		e.say("The configuration is valid.")
	} else {
		e.say("The configuration is not valid. docs/configuration.md describes every setting.")
	}
	return nil
}
