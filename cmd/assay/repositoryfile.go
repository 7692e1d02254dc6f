package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/review/local"
	"github.com/assay-dev/assay/internal/review/repofile"
	"github.com/assay-dev/assay/internal/store"
)

// fileFlags are the flags of commands that read a repository's file.
type fileFlags struct {
	File string `arg:"" optional:"" default:".assay.yaml" help:"The file."`
	JSON bool   `name:"json" help:"Print JSON."`
}

// read reads the file, as a review reads it from the base commit.
func (f fileFlags) read() (policy.File, error) {
	file, err := os.Open(f.File)
	if errors.Is(err, fs.ErrNotExist) {
		return policy.File{}, fmt.Errorf("%s does not exist: name the file, or go to the root of the repository", printable(f.File))
	}
	if err != nil {
		return policy.File{}, err
	}
	defer func() { _ = file.Close() }() // it is only read
	if about, err := file.Stat(); err != nil || !about.Mode().IsRegular() {
		return policy.File{}, fmt.Errorf("%s must be a file", printable(f.File))
	}
	raw, err := io.ReadAll(io.LimitReader(file, repofile.MaxFile+1))
	if err != nil {
		return policy.File{}, err
	}
	return repofile.Parse(raw), nil
}

type configValidateCmd struct {
	fileFlags `embed:""`
}

// Help implements kong.HelpProvider.
func (configValidateCmd) Help() string {
	return `It needs no service and no network. Each line names file, line, column and what would be right. A service may refuse more,
because the tenant's policy and locks bound the file. Exit code: 0 when everything in the file can have an effect, 1 when not.

Examples:

    assay config validate
    assay config validate .assay.yaml --json`
}

// fileReport is the JSON form of a check.
type fileReport struct {
	Valid  bool          `json:"valid"`
	Broken bool          `json:"broken"`
	Notes  []fileMessage `json:"notes"`
}

type fileMessage struct {
	Line    int    `json:"line,omitempty"`
	Column  int    `json:"column,omitempty"`
	Message string `json:"message"`
}

func messagesOf(notes []policy.FileNote) []fileMessage {
	out := []fileMessage{}
	for _, n := range notes {
		out = append(out, fileMessage{n.Line, n.Column, printable(n.Message)})
	}
	return out
}

// Run implements the command.
func (c *configValidateCmd) Run(e *env) error {
	f, err := c.read()
	if err != nil {
		return err
	}
	notes := f.Refused
	if f.Broken != nil {
		notes = []policy.FileNote{*f.Broken}
	}
	if c.JSON {
		err = writeJSON(e.stdout, fileReport{len(notes) == 0, f.Broken != nil, messagesOf(notes)})
	} else {
		for _, n := range notes {
			fmt.Fprintln(e.stdout, printable(n.String()))
		}
		if len(notes) == 0 {
			e.say("The file is valid. Settings: %d; rules and instructions: %d; folders: %d.", len(f.Values), len(f.Rules), len(f.Folders))
		}
	}
	if err == nil && len(notes) > 0 {
		return quiet(exitFailed)
	}
	return err
}

type configExplainCmd struct {
	fileFlags `embed:""`

	As string `enum:"narrow,full" default:"full" help:"The policy's repositoryFile: narrow or full."`
}

// Help implements kong.HelpProvider.
func (configExplainCmd) Help() string {
	return `It shows each setting that the file may have with its value and origin, the rules of the file, and what has no effect. It needs
no service and no network, and so it starts from the product's defaults: a tenant's settings and locks are not known here.

Examples:

    assay config explain
    assay config explain --as narrow
    assay config explain --json | jq .settings`
}

// explanation is the JSON form of the settings and rules in effect.
type explanation struct {
	Settings []explainedSetting `json:"settings"`
	Rules    []explainedRule    `json:"rules"`
	Folders  []explainedFolder  `json:"folders"`
	Notes    []fileMessage      `json:"notes"`
}

type explainedFolder struct {
	Paths        []string `json:"paths"`
	AnalysersOff []string `json:"analysersOff"`
	Line         int      `json:"line,omitempty"`
}

type explainedSetting struct {
	Name   string `json:"name"`
	Value  any    `json:"value"`
	Origin string `json:"origin"`
	Line   int    `json:"line,omitempty"`
}

type explainedRule struct {
	Kind     string   `json:"kind"`
	Title    string   `json:"title"`
	Severity string   `json:"severity"`
	Paths    []string `json:"paths,omitempty"`
	Line     int      `json:"line,omitempty"`
}

// Run implements the command.
func (c *configExplainCmd) Run(e *env) error {
	f, err := c.read()
	if err != nil {
		return err
	}
	held, err := local.Held(f, c.As)
	if err != nil {
		return err
	}
	out := explain(f, held)
	if c.JSON {
		return writeJSON(e.stdout, out)
	}
	rows := [][]string{}
	for _, s := range out.Settings {
		from := s.Origin
		if s.Line > 0 {
			from = fmt.Sprintf("%s:%d", policy.FileName, s.Line)
		}
		rows = append(rows, []string{s.Name, cell(fmt.Sprint(s.Value), 60), from})
	}
	if err := table(e.stdout, []string{"SETTING", "VALUE", "FROM"}, rows); err != nil {
		return err
	}
	for _, r := range out.Rules {
		fmt.Fprintf(e.stdout, "%s:%d: %s (%s)\n", policy.FileName, r.Line, printable(r.Title), r.Severity)
	}
	for _, o := range out.Folders {
		fmt.Fprintf(e.stdout, "%s:%d: analysers off: %s (%s)\n", policy.FileName, o.Line, strings.Join(o.AnalysersOff, ", "),
			printable(strings.Join(o.Paths, ", ")))
	}
	for _, n := range held.Notes {
		e.say("no effect: %s", printable(n.String()))
	}
	return nil
}

func explain(f policy.File, held policy.Resolved) explanation {
	out := explanation{Settings: []explainedSetting{}, Rules: []explainedRule{}, Folders: []explainedFolder{}, Notes: messagesOf(held.Notes)}
	for _, may := range policy.FileSettings() {
		for _, s := range held.Settings {
			if s.Name != may.Name {
				continue
			}
			row := explainedSetting{Name: s.Name, Value: store.FromJSON[any](string(s.Value)), Origin: string(policy.OriginDefault)}
			if s.Origin == policy.OriginFile {
				row.Origin = string(s.Origin)
				for _, v := range f.Values {
					if v.Name == s.Name {
						row.Line = v.Line
					}
				}
			}
			out.Settings = append(out.Settings, row)
		}
	}
	for _, r := range held.Active() {
		out.Rules = append(out.Rules, explainedRule{r.Kind, r.Title, r.Severity, r.Paths, r.Line})
	}
	for _, o := range held.Folders {
		out.Folders = append(out.Folders, explainedFolder{o.Paths, o.AnalysersOff, o.Line})
	}
	return out
}

type configSchemaCmd struct{}

// Run implements the command.
func (configSchemaCmd) Run(e *env) error {
	_, err := e.stdout.Write(repofile.Schema())
	return err
}

// Help implements kong.HelpProvider.
func (configSchemaCmd) Help() string {
	return `An editor with a language server for YAML completes and checks the file, if its first line names the schema.

Examples:

    assay config schema > .assay.schema.json
    printf '# yaml-language-server: $schema=.assay.schema.json\n' > .assay.yaml`
}
