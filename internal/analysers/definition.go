package analysers

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/glob"
	"github.com/assay-dev/assay/internal/nearest"
	"github.com/assay-dev/assay/internal/regexp"
)

// maxDefinitions is the maximum size of the file of definitions in bytes.
const maxDefinitions = 256 << 10

// definitions is the file that describes analysers.
type definitions struct {
	Analysers []definition `yaml:"analysers"`
}

// definition describes one analyser.
type definition struct {
	Name      string   `yaml:"name"`
	Profile   string   `yaml:"profile"`
	Program   string   `yaml:"program"`
	Version   string   `yaml:"version"`
	Rules     string   `yaml:"rules"`
	Folders   []string `yaml:"folders"`
	Command   []string `yaml:"command"`
	Input     string   `yaml:"input"`
	Output    string   `yaml:"output"`
	Languages []string `yaml:"languages"`
	Paths     []string `yaml:"paths"`
	ExitCodes []int    `yaml:"exitCodes"`
	Processes int      `yaml:"processes"`
	Seconds   int      `yaml:"seconds"`
	MiB       int      `yaml:"mib"`
}

// Settings are the settings of the process about analysers.
type Settings struct {
	Programs []string // entries profile=path
	Setting  string   // name of the setting or flag that has Programs, for messages; by default that of the process
	File     string   // with definitions; "" without one
	DataDir  string   // of the service, which no analyser may read
}

var (
	namePattern    = regexp.MustCompile(`^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$`)
	versionPattern = regexp.MustCompile(`^\d{1,6}(?:\.\d{1,6}){0,3}$`)
)

// Configure returns the analysers of the settings. The error lists all defects, one a line, each with the setting and the
// field.
func Configure(s Settings) ([]Analyser, error) {
	var defects []error
	var all []definition
	var at []string // the place of each definition
	for i, entry := range s.Programs {
		profile, program, ok := strings.Cut(entry, "=")
		where := fmt.Sprintf("%s entry %d", cmp.Or(s.Setting, "ASSAY_ANALYSERS_PROGRAMS (analysers.programs)"), i+1)
		if !ok {
			defects = append(defects, fmt.Errorf("%s must be a profile and a path, such as shellcheck=/usr/bin/shellcheck", where))
			continue
		}
		all, at = append(all, definition{Name: profile, Profile: profile, Program: program}), append(at, where)
	}
	if s.File != "" {
		read, err := readDefinitions(s.File)
		if err != nil {
			defects = append(defects, fmt.Errorf("ASSAY_ANALYSERS_DEFINITIONS (analysers.definitions) %w", err))
		}
		for i, d := range read.Analysers {
			all, at = append(all, d), append(at, fmt.Sprintf("%s: analysers[%d]", s.File, i))
		}
	}
	if len(all) > maxAnalysers {
		return nil, errors.Join(append(defects, fmt.Errorf("analysers: at most %d analysers can be configured", maxAnalysers))...)
	}
	var out []Analyser
	for i, d := range all {
		a, bad := d.analyser(s.DataDir)
		for _, b := range bad {
			defects = append(defects, fmt.Errorf("%s.%s %s", at[i], b.field, b.why))
		}
		if slices.ContainsFunc(out, func(o Analyser) bool { return o.Name == a.Name }) {
			defects = append(defects, fmt.Errorf("%s.name is the name of another analyser: give each a name of its own", at[i]))
		}
		out = append(out, a)
	}
	return out, errors.Join(defects...)
}

func readDefinitions(file string) (out definitions, err error) {
	f, err := os.Open(file) //nolint:gosec // the operator names the file
	if err != nil {
		return out, fmt.Errorf("names a file that cannot be read: %w", err)
	}
	defer func() { _ = f.Close() }()
	raw, err := io.ReadAll(io.LimitReader(f, maxDefinitions+1))
	if err != nil {
		return out, fmt.Errorf("names a file that cannot be read: %w", err)
	}
	if len(raw) > maxDefinitions {
		return out, errors.New("names a file that is larger than 256 KiB")
	}
	err = yaml.NewDecoder(bytes.NewReader(raw), yaml.Strict(), yaml.DisallowUnknownField()).Decode(&out)
	if err == nil || errors.Is(err, io.EOF) {
		return out, nil
	}
	if bad, ok := errors.AsType[yaml.Error](err); ok && bad.GetToken() != nil {
		p := bad.GetToken().Position
		return definitions{}, fmt.Errorf("names a file with an error in line %d, column %d: %s", p.Line, p.Column, bad.GetMessage())
	}
	return definitions{}, errors.New("names a file that is not valid YAML")
}

// defect is a field with a value that cannot be used.
type defect struct{ field, why string }

// analyser returns the analyser of a definition and the defects of its fields.
func (d definition) analyser(dataDir string) (a Analyser, bad []defect) {
	check := func(ok bool, field, why string) {
		if !ok {
			bad = append(bad, defect{field, why})
		}
	}
	p := Profile{Time: defaultTime, Memory: defaultMemory}
	if d.Profile != "" {
		known := false
		p, known = profileOf(d.Profile)
		guess := ""
		if best := nearest.Name(d.Profile, profileNames()); best != "" {
			guess = " (did you mean " + best + "?)"
		}
		check(known, "profile", "must be one of "+strings.Join(profileNames(), ", ")+guess)
		check(len(d.Command) == 0 && d.Output == "" && len(d.ExitCodes) == 0, "command",
			"must be absent with a profile, and so must output and exitCodes: the profile has them")
	} else {
		check(len(d.Command) > 0, "command", "must list the words after the program, or profile must name a profile")
		check(d.Output == string(FormatSARIF) || d.Output == string(FormatJSON), "output", "must be sarif or json")
		p.Command, p.Format, p.Codes = d.Command, Format(d.Output), d.ExitCodes
	}
	p.NeedRules = p.NeedRules || slices.ContainsFunc(p.Command, func(w string) bool { return strings.Contains(w, placeRules) }) && !p.OwnRules
	a = Analyser{Name: cmp.Or(d.Name, d.Profile), Path: d.Program, Version: d.Version, Rules: d.Rules, Folders: d.Folders,
		Input: Input(cmp.Or(d.Input, string(InputFiles))), Profile: p}
	if len(d.Languages) > 0 || len(d.Paths) > 0 {
		a.Languages, a.Paths = d.Languages, d.Paths
	}
	check(namePattern.MatchString(a.Name), "name", "must be 1 to 40 of a-z, 0-9 and -, with no - at either end")
	check(d.Version == "" || versionPattern.MatchString(d.Version), "version", "must be a number such as 0.51.1, or its first parts")
	check(a.Input == InputFiles || a.Input == InputTree, "input", "must be files or tree")
	checkCommand(check, a.Command, a.Input)
	check(filepath.IsAbs(d.Program), "program", "must be an absolute path")
	check(closed(filepath.Dir(d.Program), dataDir), "program",
		"must be in a folder that does not hold the data folder of assay: the analyser may read its folder")
	check(!a.NeedRules || d.Rules != "", "rules", "must name the rules, because the command uses them")
	check(d.Rules == "" || filepath.IsAbs(d.Rules) && closed(d.Rules, dataDir), "rules",
		"must be an absolute path outside the data folder of assay")
	for i, f := range d.Folders {
		check(filepath.IsAbs(f) && closed(f, dataDir), fmt.Sprintf("folders[%d]", i), "must be an absolute path outside the data folder of assay")
	}
	check(len(d.Folders) <= 20, "folders", "must have at most 20 entries")
	check(len(a.Languages)+len(a.Paths) > 0 || p.Format == "", "languages", "must name languages, or paths must have patterns")
	for i, l := range a.Languages {
		check(diff.KnownLanguage(l), fmt.Sprintf("languages[%d]", i), "must be a language as assay names it, such as Go, Python or Bash")
	}
	for i, g := range d.Paths {
		check(g != "" && len(g) <= 200 && glob.Valid(g), fmt.Sprintf("paths[%d]", i), "must be a pattern of paths, such as **/*.sh")
	}
	check(len(d.Paths) <= 100 && len(d.Languages) <= 100, "paths", "must have at most 100 entries, and so must languages")
	check(d.Processes >= 0 && d.Processes <= 256, "processes", "must be between 0 and 256")
	check(d.Seconds >= 0 && d.Seconds <= 300, "seconds", "must be between 1 and 300")
	check(d.MiB == 0 || d.MiB >= 64 && d.MiB <= 16<<10, "mib", "must be between 64 and 16384")
	if d.Processes > 0 {
		a.Processes = uint64(d.Processes)
	}
	if d.Seconds > 0 {
		a.Time = time.Duration(d.Seconds) * time.Second
	}
	if d.MiB > 0 {
		a.Memory = int64(d.MiB) << 20
	}
	return a, bad
}

// checkCommand checks the words of a command. A program that gets the tree starts in its top folder, and need not take files.
func checkCommand(check func(bool, string, string), words []string, in Input) {
	takes := in == InputTree
	for i, w := range words {
		at := fmt.Sprintf("command[%d]", i)
		check(w != "" && len(w) <= 1000 && !strings.ContainsAny(w, "\x00\n\r"), at, "must be one word of at most 1000 bytes")
		rest := strings.NewReplacer(placeFiles, "", placeFile, "", placeRules, "").Replace(w)
		check(!strings.ContainsAny(rest, "{}"), at, "may use the placeholders {files}, {file} and {rules} only")
		check(w == placeFiles || !strings.Contains(w, placeFiles), at, "must be {files} alone, or use {file}")
		takes = takes || strings.Contains(w, placeFile) || w == placeFiles
	}
	check(takes || len(words) == 0, "command", "must have {files}, or {file} within a word")
	check(len(words) <= 100, "command", "must have at most 100 words")
}

// closed reports whether a folder neither holds the data folder nor lies in it.
func closed(folder, dataDir string) bool {
	data, err := filepath.Abs(dataDir)
	if err != nil {
		return false
	}
	within := func(inner, outer string) bool {
		rel, err := filepath.Rel(outer, inner)
		return err == nil && (rel == "." || filepath.IsLocal(rel))
	}
	folder = filepath.Clean(folder)
	return !within(data, folder) && !within(folder, data)
}
