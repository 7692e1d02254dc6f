package policy

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/assay-dev/assay/internal/domain"
)

// FileName is the path of a repository's own settings file from the root of the repository.
const FileName = ".assay.yaml"

// The values of the setting repositoryFile: how far a repository's file may change the settings.
const (
	FileIgnore = "ignore" // not at all; the file is not read
	FileNarrow = "narrow" // it may ask for less, see [FileSettings]
	FileFull   = "full"   // it may set everything that [FileSettings] lists, and rules
)

// Place is a place in a file, counted from 1; 0 if it is not known.
type Place struct {
	Line   int `json:"line,omitempty"`
	Column int `json:"column,omitempty"`
}

// FileNote says why something in a repository's file has no effect.
type FileNote struct {
	Place
	Message string `json:"message"` // names the setting and what would be right, never the value
}

// String returns the note as programs print diagnostics: file, line, column, message.
func (n FileNote) String() string {
	if n.Line == 0 {
		return FileName + ": " + n.Message
	}
	return fmt.Sprintf("%s:%d:%d: %s", FileName, n.Line, n.Column, n.Message)
}

// FileValue is a setting in a repository's file. The value has passed the checks of a [RepositoryPolicyUpdate].
type FileValue struct {
	Place
	Name  string          `json:"name"` // with dots for what is nested
	Value json.RawMessage `json:"value"`
}

// FileRule is a rule or an instruction in a repository's file. It is never mandatory.
type FileRule struct {
	Place
	Kind        string   `json:"kind"` // rule or instruction
	ID          string   `json:"id"`   // stable while the file has the text
	Title       string   `json:"title"`
	Instruction string   `json:"instruction"`
	Paths       []string `json:"paths,omitempty"`
	Languages   []string `json:"languages,omitempty"`
	Severity    string   `json:"severity"`
}

// The values of [FileRule.Kind], by the names of their lists in the file.
const (
	FileRules        = "rules"
	FileInstructions = "instructions"
)

// FileFolders is the name of the list of [FileFolder] in the file.
const FileFolders = "folders"

// FileFolder switches analysers off for files of a repository.
type FileFolder struct {
	Place
	Paths        []string `json:"paths"`
	AnalysersOff []string `json:"analysersOff"`
}

// File is a repository's file as it was read at a commit. The zero value is a repository without the file.
type File struct {
	Commit  string       `json:"commit,omitempty"`
	Present bool         `json:"present,omitempty"`
	Values  []FileValue  `json:"values,omitempty"`
	Rules   []FileRule   `json:"rules,omitempty"`
	Folders []FileFolder `json:"folders,omitempty"`
	Refused []FileNote   `json:"refused,omitempty"` // what the file must not or cannot say
	Broken  *FileNote    `json:"broken,omitempty"`  // why nothing in the file has an effect; nil if it can be read
}

// Resolved is what holds for a repository.
type Resolved struct {
	Policy   domain.Policy
	Settings []Setting
	File     string       // value of repositoryFile
	Rules    []FileRule   // those of the repository's file, in its order
	Folders  []FileFolder // those of the repository's file
	Inactive string       // why Rules are not applied: ruleCategoryOff; "" if they are
	Notes    []FileNote   // what in the file has no effect, and why, by place
	Commit   string       // that the file was read at; "" if it was not read
}

// Active returns the rules of the file that reviews apply.
func (r Resolved) Active() []FileRule {
	if r.Inactive != "" {
		return nil
	}
	return r.Rules
}

// applyFile puts the values of a repository's file over the settings of the other levels. fixed are settings that it
// must not change. It returns the rules that apply, and what has no effect.
func applyFile(settings []Setting, mode string, f File, fixed map[string]json.RawMessage) (rules []FileRule, notes []FileNote) {
	if f.Broken != nil {
		return nil, []FileNote{*f.Broken}
	}
	notes = slices.Clone(f.Refused)
	for _, v := range f.Values {
		i := slices.IndexFunc(settings, func(s Setting) bool { return s.Name == v.Name })
		line, known := fileSettingOf(v.Name)
		if _, tried := fixed[v.Name]; tried || i < 0 || !known {
			continue
		}
		value, why := line.accept(settings[i], settings, mode, v.Value)
		if why != "" {
			notes = append(notes, FileNote{v.Place, v.Name + " " + why})
			continue
		}
		settings[i].Value, settings[i].Origin, settings[i].Commit = value, OriginFile, f.Commit
		settings[i].Wished, settings[i].Note = nil, ""
	}
	rules, why := f.Rules, ""
	switch {
	case mode == FileNarrow:
		why = "need repositoryFile: full in the policy, which says narrow"
	case demands(settings, "guidelineFiles", "false"):
		why = "are refused, because the tenant has locked guidelineFiles, which keeps texts of the repository out"
	}
	if why != "" {
		for _, kind := range []string{FileRules, FileInstructions} {
			if i := slices.IndexFunc(rules, func(r FileRule) bool { return r.Kind == kind }); i >= 0 {
				notes = append(notes, FileNote{rules[i].Place, kind + " " + why})
			}
		}
		rules = nil
	}
	sortNotes(notes)
	return rules, notes
}

// sortNotes sorts notes by place.
func sortNotes(notes []FileNote) {
	slices.SortStableFunc(notes, func(a, b FileNote) int {
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return a.Column - b.Column
	})
}

// Differences lists the settings with another value, and rules or instructions if there are others, by their names in the file.
func Differences(now, then Resolved) (names []string) {
	for i, s := range then.Settings {
		if string(s.Value) != string(now.Settings[i].Value) {
			names = append(names, s.Name)
		}
	}
	for _, kind := range []string{FileRules, FileInstructions} {
		if !slices.Equal(idsOf(now, kind), idsOf(then, kind)) {
			names = append(names, kind)
		}
	}
	if fmt.Sprint(switchedOff(now.Folders)) != fmt.Sprint(switchedOff(then.Folders)) {
		names = append(names, FileFolders)
	}
	return names
}

// idsOf lists the rules of a kind that apply, each with its severity, which its ID does not have.
func idsOf(r Resolved, kind string) (ids []string) {
	for _, rule := range r.Active() {
		if rule.Kind == kind {
			ids = append(ids, rule.ID+rule.Severity+fmt.Sprint(rule.Languages))
		}
	}
	return ids
}

// demands reports whether the tenant has locked a setting to a value.
func demands(settings []Setting, name, value string) bool {
	return slices.ContainsFunc(settings, func(s Setting) bool { return s.Locked && s.Name == name && string(s.Value) == value })
}
