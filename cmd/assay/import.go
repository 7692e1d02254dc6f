package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/assay-dev/assay/internal/review/toolsettings"
)

type importCmd struct {
	From   string `required:"" placeholder:"DIR" help:"The root of a checkout."`
	Format string `enum:"text,json" default:"text" help:"Form of the output: text or json."`
}

// Help implements kong.HelpProvider.
func (importCmd) Help() string {
	return `Reads settings files of other review tools and prints the policy of a repository and the rules that stand for them.
It names every value that it cannot take over, with the reason. It does not change a server.

Examples:

    assay import --from .
    assay import --from . --format json | jq .policy`
}

// guidelineFiles are text files of other review tools, in the root of a checkout. A folder counts if it exists.
var guidelineFiles = []string{"REVIEW.md", "BUGBOT.md", ".cursor/BUGBOT.md", "GEMINI.md", ".gemini/styleguide.md", ".windsurfrules",
	".clinerules", ".github/copilot-instructions.md", ".github/instructions"}

// otherNames are settings under names that assay does not read, with the reason.
var otherNames = []struct{ name, reason string }{
	{".coderabbit.yml", "assay reads .coderabbit.yaml: rename the file"},
	{".greptile", "assay reads greptile.json, not this folder: put its settings and rules into greptile.json"},
}

// Run implements the command.
func (c *importCmd) Run(e *env) error {
	root, err := os.OpenRoot(c.From)
	if err != nil {
		return usageError("--from must be a folder that can be read")
	}
	defer func() { _ = root.Close() }()
	files := map[string][]byte{}
	for _, name := range toolsettings.Files() {
		content, err := readSettings(root, name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return fmt.Errorf("%s cannot be read: it must be a file inside the folder of --from", name)
		}
		files[name] = content
	}
	var guidelines []string
	for _, name := range guidelineFiles {
		if _, err := root.Stat(name); err == nil {
			guidelines = append(guidelines, name)
		}
	}
	var unread []toolsettings.Unmapped
	for _, other := range otherNames {
		if _, err := root.Stat(other.name); err == nil {
			unread = append(unread, toolsettings.Unmapped{Source: toolsettings.Source{File: other.name}, Reason: other.reason})
		}
	}
	if len(files)+len(guidelines)+len(unread) == 0 {
		return usageError("the folder of --from has no settings of another review tool; assay import reads %s",
			strings.Join(append(toolsettings.Files(), guidelineFiles...), ", "))
	}
	got, err := toolsettings.Map(files, guidelines)
	if err != nil {
		return err
	}
	got.Unmapped = append(got.Unmapped, unread...)
	if c.Format == "json" {
		return writeJSON(e.stdout, got)
	}
	return printImport(e.stdout, got)
}

// readSettings reads one byte more of a file than is allowed, so that the reader of the format reports its size.
func readSettings(root *os.Root, name string) ([]byte, error) {
	f, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(err, fs.ErrInvalid)
	}
	return io.ReadAll(io.LimitReader(f, toolsettings.MaxFile+1))
}

// printImport prints a result for people. Texts of the files are printed on one line, without control characters.
func printImport(w io.Writer, got toolsettings.Result) error {
	policy, err := json.MarshalIndent(got.Policy, "", "  ")
	if err != nil {
		return err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Policy of the repository (PUT R/policy):\n\n%s\n\n", printable(string(policy)))
	for _, s := range got.Settings {
		fmt.Fprintf(&b, "  %-28s from %s\n", s.Setting, cell(s.Source.String(), 200))
	}
	fmt.Fprintf(&b, "\nRules to create (POST R/rules): %d\n\n", len(got.Rules))
	for _, r := range got.Rules {
		fmt.Fprintf(&b, "  %s\n    %s\n    from %s\n", cell(r.Rule.Title, 200), cell(r.Rule.Instruction, 100), cell(r.Source.String(), 200))
	}
	fmt.Fprintf(&b, "\nNot taken over: %d\n\n", len(got.Unmapped))
	for _, u := range got.Unmapped {
		fmt.Fprintf(&b, "  %s\n    %s\n", cell(u.Source.String(), 200), cell(u.Reason, 300))
	}
	_, err = io.WriteString(w, b.String())
	return err
}
