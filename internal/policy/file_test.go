package policy_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/testkit"
)

// stored is a repository's file with settings in lines of their own.
func stored(t *testing.T, values ...string) string {
	t.Helper()
	f := policy.File{Commit: "c0ffee", Present: true}
	for i, v := range values {
		name, value, _ := strings.Cut(v, "=")
		f.Values = append(f.Values, policy.FileValue{Place: policy.Place{Line: i + 1, Column: 1}, Name: name, Value: json.RawMessage(value)})
	}
	return store.JSON(f)
}

// While a mandatory rule has no paths, the file cannot take files away from it. The same paths as those of the policy are not a
// change.
func TestMandatoryRulesWithoutPathsHoldInEveryFile(t *testing.T) {
	t.Parallel()
	for mode, refused := range map[string]int{policy.FileNarrow: 1, policy.FileFull: 1} {
		src := store.PolicySources{Repository: `{"repositoryFile":"` + mode + `","paths":{"include":["a/**"]}}`, MandatoryPaths: `["a/b/**"],[]`,
			File: stored(t, `paths.include=["a/**"]`, `paths.exclude=["a/b/**"]`, `profile="quiet"`)}
		held, err := policy.ResolveAll(src)
		testkit.OK(t, err)
		if len(held.Notes) != refused || !strings.Contains(held.Notes[0].String(), ".assay.yaml:2:1: paths.exclude is refused, because a mandatory rule") ||
			len(held.Policy.Paths.Exclude) > 0 || held.Policy.Profile != "quiet" || held.Policy.Mandatory != nil {
			t.Errorf("%s: %v %+v", mode, held.Notes, held.Policy.Paths)
		}
		src.MandatoryPaths = ""
		held, err = policy.ResolveAll(src)
		testkit.OK(t, err)
		testkit.Equal(t, mode+", without a mandatory rule", len(held.Policy.Paths.Exclude), 1)
	}
}

// A switched-off check is named with the place that switches it off.
func TestChecksOff(t *testing.T) {
	t.Parallel()
	src := store.PolicySources{Tenant: `{"deterministic":{"secrets":false},"repositoryFile":"full"}`,
		File: stored(t, `deterministic.staticAnalysis=false`)}
	held, err := policy.ResolveAll(src)
	testkit.OK(t, err)
	testkit.Equal(t, "lines", strings.Join(policy.ChecksOff(held.Settings), "; "), "deterministic.secrets is false in the tenant's repository "+
		"defaults; deterministic.staticAnalysis is false in .assay.yaml")
}

// Each setting of the file, under narrow and full, over a policy: what holds, and what is refused.
func TestFileSettings(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		tenant, repository, file string
		want                     string // value and origin
		refused                  string // part of the message; "" for none
	}{
		"ignored":                           {"", `{"repositoryFile":"ignore"}`, `profile="quiet"`, `"balanced" default`, ""},
		"ignored by default":                {"", ``, `profile="quiet"`, `"balanced" default`, ""},
		"quieter":                           {"", `{"repositoryFile":"narrow"}`, `profile="quiet"`, `"quiet" file`, ""},
		"louder":                            {"", `{"repositoryFile":"narrow"}`, `profile="assertive"`, `"balanced" default`, "may only go from assertive to balanced to quiet"},
		"louder, full":                      {"", `{"repositoryFile":"full"}`, `profile="assertive"`, `"assertive" file`, ""},
		"full by the tenant":                {`{"repositoryFile":"full"}`, ``, `profile="assertive"`, `"assertive" file`, ""},
		"the repository's bound":            {`{"repositoryFile":"full"}`, `{"repositoryFile":"narrow"}`, `profile="assertive"`, `"balanced" default`, "narrow"},
		"the tenant's locked bound":         {`{"repositoryFile":"narrow","locked":["repositoryFile"]}`, `{"repositoryFile":"full"}`, `profile="assertive"`, `"balanced" default`, "narrow"},
		"over the repository":               {"", `{"repositoryFile":"full","profile":"quiet"}`, `profile="assertive"`, `"assertive" file`, ""},
		"locked":                            {`{"locked":["profile"]}`, `{"repositoryFile":"full"}`, `profile="quiet"`, `"balanced" default`, "is locked by the tenant's repository defaults"},
		"locked, the same value":            {`{"locked":["profile"]}`, `{"repositoryFile":"full"}`, `profile="balanced"`, `"balanced" default`, "is locked"},
		"a locked group":                    {`{"locked":["paths"]}`, `{"repositoryFile":"full"}`, `paths.exclude=["a/**"]`, `[] default`, "is locked"},
		"more excluded":                     {"", `{"repositoryFile":"narrow","paths":{"exclude":["v/**"]}}`, `paths.exclude=["a/**","v/**"]`, `["v/**","a/**"] file`, ""},
		"excluded, full":                    {"", `{"repositoryFile":"full","paths":{"exclude":["v/**"]}}`, `paths.exclude=["a/**"]`, `["a/**"] file`, ""},
		"included, none before":             {"", `{"repositoryFile":"narrow"}`, `paths.include=["a/**"]`, `["a/**"] file`, ""},
		"included, fewer":                   {"", `{"repositoryFile":"narrow","paths":{"include":["a/**","b/**"]}}`, `paths.include=["a/**"]`, `["a/**"] file`, ""},
		"included, others":                  {"", `{"repositoryFile":"narrow","paths":{"include":["a/**"]}}`, `paths.include=["b/**"]`, `["a/**"] repository`, "may only repeat patterns of the policy"},
		"included, every file":              {"", `{"repositoryFile":"narrow","paths":{"include":["a/**"]}}`, `paths.include=[]`, `["a/**"] repository`, "may only repeat patterns"},
		"paths under a lock":                {`{"locked":["deterministic"]}`, `{"repositoryFile":"full"}`, `paths.exclude=["a/**"]`, `[] default`, "locked deterministic.secrets, whose findings it could hide"},
		"paths under a lock to off":         {`{"deterministic":{"secrets":false,"staticAnalysis":false},"locked":["deterministic"]}`, `{"repositoryFile":"full"}`, `paths.exclude=["a/**"]`, `["a/**"] file`, ""},
		"category off":                      {"", `{"repositoryFile":"narrow"}`, `categories.docs=false`, `false file`, ""},
		"category on":                       {"", `{"repositoryFile":"narrow","categories":{"docs":false}}`, `categories.docs=true`, `false repository`, "may only be false"},
		"category on, full":                 {"", `{"repositoryFile":"full","categories":{"docs":false}}`, `categories.docs=true`, `true file`, ""},
		"a higher severity":                 {"", `{"repositoryFile":"narrow"}`, `minSeverity="high"`, `"high" file`, ""},
		"a lower severity":                  {"", `{"repositoryFile":"narrow","minSeverity":"high"}`, `minSeverity="low"`, `"high" repository`, "may only be a higher severity"},
		"severity under a lock":             {`{"locked":["categories.security"]}`, `{"repositoryFile":"full"}`, `minSeverity="high"`, `"info" default`, "locked categories.security"},
		"quiet under a lock of a category":  {`{"locked":["categories.security"]}`, `{"repositoryFile":"narrow"}`, `profile="quiet"`, `"balanced" default`, "locked categories.security"},
		"quiet under a lock of a check":     {`{"locked":["deterministic.staticAnalysis"]}`, `{"repositoryFile":"full"}`, `profile="quiet"`, `"balanced" default`, "locked deterministic.staticAnalysis"},
		"quiet under a lock of secrets":     {`{"locked":["deterministic.secrets"]}`, `{"repositoryFile":"full"}`, `profile="quiet"`, `"quiet" file`, ""},
		"severity under a lock of a check":  {`{"locked":["deterministic"]}`, `{"repositoryFile":"narrow"}`, `minSeverity="high"`, `"info" default`, "locked deterministic.staticAnalysis"},
		"severity under a failing check":    {`{"check":{"failOn":"high"},"locked":["check"]}`, `{"repositoryFile":"narrow"}`, `minSeverity="critical"`, `"info" default`, "locked check.failOn"},
		"paths under a failing check":       {`{"check":{"failOn":"high"},"locked":["check.failOn"]}`, `{"repositoryFile":"full"}`, `paths.exclude=["**"]`, `[] default`, "locked check.failOn"},
		"category under a failing check":    {`{"check":{"failOn":"high"},"locked":["check"]}`, `{"repositoryFile":"narrow"}`, `categories.bug=false`, `true default`, "locked check.failOn"},
		"category under no failing check":   {`{"locked":["check"]}`, `{"repositoryFile":"narrow"}`, `categories.bug=false`, `false file`, ""},
		"paths under an open failing check": {`{"check":{"failOn":"high"}}`, `{"repositoryFile":"narrow"}`, `paths.exclude=["a/**"]`, `["a/**"] file`, ""},
		"guidelines under a lock of rules":  {`{"guidelineFiles":true,"locked":["categories.rule"]}`, `{"repositoryFile":"narrow"}`, `guidelineFiles=false`, `true tenant`, "locked categories.rule"},
		"lower under a lock":                {`{"minSeverity":"high","locked":["categories.security"]}`, `{"repositoryFile":"full"}`, `minSeverity="low"`, `"low" file`, ""},
		"more confidence":                   {"", `{"repositoryFile":"narrow","minConfidence":0.5}`, `minConfidence=0.75`, `0.75 file`, ""},
		"less confidence":                   {"", `{"repositoryFile":"narrow","minConfidence":0.5}`, `minConfidence=0.25`, `0.5 repository`, "may only be a higher number"},
		"fewer comments":                    {"", `{"repositoryFile":"narrow"}`, `maxInlineComments=3`, `3 file`, ""},
		"more comments":                     {"", `{"repositoryFile":"narrow"}`, `maxInlineComments=11`, `10 default`, "may only be a lower number"},
		"quieter later reviews":             {"", `{"repositoryFile":"narrow"}`, `quietWhenNothingNew=true`, `true file`, ""},
		"a check for clean changes":         {"", `{"repositoryFile":"narrow"}`, `cleanReview="check"`, `"check" file`, ""},
		"no suggestions":                    {"", `{"repositoryFile":"narrow"}`, `fixes="off"`, `"off" file`, ""},
		"suggestions again":                 {"", `{"repositoryFile":"narrow","fixes":"off"}`, `fixes="suggestions"`, `"off" repository`, "may only be off"},
		"another language":                  {"", `{"repositoryFile":"narrow"}`, `language="de"`, `"de" file`, ""},
		"secrets off":                       {"", `{"repositoryFile":"narrow"}`, `deterministic.secrets=false`, `true default`, "may only be true"},
		"secrets off, full":                 {"", `{"repositoryFile":"full"}`, `deterministic.secrets=false`, `false file`, ""},
		"secrets off, but locked":           {`{"locked":["categories.secret"]}`, `{"repositoryFile":"full"}`, `deterministic.secrets=false`, `true default`, "locked categories.secret"},
		"checks off":                        {"", `{"repositoryFile":"narrow"}`, `deterministic.staticAnalysis=false`, `false file`, ""},
		"guidelines off":                    {`{"guidelineFiles":true}`, `{"repositoryFile":"narrow"}`, `guidelineFiles=false`, `false file`, ""},
		"guidelines on":                     {"", `{"repositoryFile":"narrow"}`, `guidelineFiles=true`, `false default`, "may only be false"},
		"what the file must not set":        {"", `{"repositoryFile":"full"}`, `publishMode="silent"`, `"auto" default`, ""},
	} {
		src := store.PolicySources{Tenant: c.tenant, Repository: c.repository, File: stored(t, c.file)}
		got, err := policy.ResolveAll(src)
		testkit.OK(t, err)
		setting, _, _ := strings.Cut(c.file, "=")
		s := find(t, got.Settings, setting)
		if v := string(s.Value) + " " + string(s.Origin); v != c.want {
			t.Errorf("%s: %s, want %s", name, v, c.want)
		}
		if (s.Origin == policy.OriginFile) != (s.Commit == "c0ffee") {
			t.Errorf("%s: commit %q", name, s.Commit)
		}
		var notes []string
		for _, n := range got.Notes {
			notes = append(notes, n.String())
		}
		all := strings.Join(notes, "\n")
		if (all == "") != (c.refused == "") || !strings.Contains(all, c.refused) || all != "" && !strings.HasPrefix(all, ".assay.yaml:1:1: "+setting+" ") {
			t.Errorf("%s: notes %q, want %q", name, all, c.refused)
		}
	}
}

// A setting that is tried out stands above the file.
func TestTriedSettingsStandAboveTheFile(t *testing.T) {
	t.Parallel()
	src := store.PolicySources{Repository: `{"repositoryFile":"full"}`, File: stored(t, `profile="quiet"`, `language="de"`),
		Tried: `{"profile":"assertive"}`}
	got, err := policy.ResolveAll(src)
	testkit.OK(t, err)
	testkit.Equal(t, "tried", got.Policy.Profile, "assertive")
	testkit.Equal(t, "not tried", got.Policy.Language, "de")
}

// Rules of the file need full, and no lock against texts of the repository. A broken file changes nothing and is said once.
func TestFileRules(t *testing.T) {
	t.Parallel()
	rules := []policy.FileRule{{Place: policy.Place{Line: 2, Column: 5}, Kind: policy.FileRules, ID: "fil_1", Title: "t", Instruction: "i", Severity: "low"},
		{Place: policy.Place{Line: 3, Column: 5}, Kind: policy.FileRules, ID: "fil_2", Title: "u", Instruction: "j", Severity: "low"}}
	for name, c := range map[string]struct {
		tenant, mode string
		file         policy.File
		rules        int
		notes        []string
	}{
		"full":         {"", "full", policy.File{Rules: rules}, 2, nil},
		"narrow":       {"", "narrow", policy.File{Rules: rules}, 0, []string{".assay.yaml:2:5: rules need repositoryFile: full in the policy, which says narrow"}},
		"locked":       {`{"locked":["guidelineFiles"]}`, "full", policy.File{Rules: rules}, 0, []string{".assay.yaml:2:5: rules are refused, because the tenant has locked guidelineFiles, which keeps texts of the repository out"}},
		"broken":       {"", "full", policy.File{Rules: rules, Broken: &policy.FileNote{Message: "must be valid YAML"}}, 0, []string{".assay.yaml: must be valid YAML"}},
		"category off": {`{"categories":{"rule":false}}`, "full", policy.File{Rules: rules}, 0, nil},
	} {
		got, err := policy.ResolveAll(store.PolicySources{Tenant: c.tenant, Repository: `{"repositoryFile":"` + c.mode + `"}`, File: store.JSON(c.file)})
		testkit.OK(t, err)
		var notes []string
		for _, n := range got.Notes {
			notes = append(notes, n.String())
		}
		if len(got.Active()) != c.rules || !slices.Equal(notes, c.notes) {
			t.Errorf("%s: %d rules, %q", name, len(got.Active()), notes)
		}
	}
	if _, err := policy.ResolveAll(store.PolicySources{Repository: `{"repositoryFile":"full"}`, File: "{"}); err == nil {
		t.Error("a stored file that cannot be read is an error")
	}
}

// Folders hold under narrow too, unless a lock demands the findings of analysers.
func TestFileFolders(t *testing.T) {
	t.Parallel()
	folders := []policy.FileFolder{{Place: policy.Place{Line: 2, Column: 5}, Paths: []string{"old/**"}, AnalysersOff: []string{"ruf"}}}
	for name, c := range map[string]struct {
		tenant, repository string
		holds              bool
		note               string
	}{
		"narrow":          {"", `{"repositoryFile":"narrow"}`, true, ""},
		"full":            {"", `{"repositoryFile":"full"}`, true, ""},
		"ignore":          {"", `{"repositoryFile":"ignore"}`, false, ""},
		"another name":    {"", `{"repositoryFile":"full","deterministic":{"analysers":["ruff"]}}`, true, "folders[0].analysersOff[0] is not a name of deterministic.analysers; did you mean ruff?"},
		"locked":          {`{"locked":["deterministic.analysers"]}`, `{"repositoryFile":"full"}`, false, "folders are refused, because the tenant has locked deterministic.analysers"},
		"locked category": {`{"locked":["categories.static-analysis"]}`, `{"repositoryFile":"full"}`, false, "folders are refused, because the tenant has locked categories.static-analysis, whose findings they could hide"},
	} {
		got, err := policy.ResolveAll(store.PolicySources{Tenant: c.tenant, Repository: c.repository, File: store.JSON(policy.File{Folders: folders})})
		testkit.OK(t, err)
		if len(got.Policy.AnalysersOff) == 1 != c.holds || len(got.Folders) == 1 != c.holds {
			t.Errorf("%s: %+v", name, got.Policy.AnalysersOff)
		}
		note := ""
		for _, n := range got.Notes {
			note += n.String()
		}
		if c.note != "" {
			c.note = ".assay.yaml:2:5: " + c.note
		}
		testkit.Equal(t, name, note, c.note)
	}
}

// Every setting of the policy is either one of the file or has a reason why it is not.
func TestEverySettingIsDecided(t *testing.T) {
	t.Parallel()
	for _, name := range policy.Names() {
		inFile := slices.ContainsFunc(policy.FileSettings(), func(s policy.FileSetting) bool { return s.Name == name })
		if inFile == (policy.NotInFile(name) != "") {
			t.Errorf("%s: in the file %v, and the reason against it is %q", name, inFile, policy.NotInFile(name))
		}
	}
}

// TestTableOfFileSettings keeps docs/repository-file.md in step with the code.
func TestTableOfFileSettings(t *testing.T) {
	var b strings.Builder
	b.WriteString("\n| setting | values | under `narrow` it may only |\n|---|---|---|\n")
	for _, s := range policy.FileSettings() {
		v, narrow := policy.ValueTypeOf(s.Name), s.Narrow
		values := strings.TrimPrefix(v.Want(), "must be ")
		if narrow == "" {
			narrow = "– (any value)"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", s.Name, values, narrow)
	}
	b.WriteString("\n| not in the file | why |\n|---|---|\n")
	var not []string
	for _, name := range policy.Names() {
		group, _, _ := strings.Cut(name, ".")
		if policy.NotInFile(group) != "" && !slices.Contains(not, group) {
			not = append(not, group)
		}
	}
	for _, name := range not {
		fmt.Fprintf(&b, "| `%s` | %s |\n", name, strings.TrimPrefix(policy.NotInFile(name), "is set in the policy only, because "))
	}
	generated(t, filepath.Join("..", "repository-file.md"), "file settings", b.String())
}
