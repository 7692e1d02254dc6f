package analysers

import (
	"path"
	"slices"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/analysers/rules"
	"github.com/assay-dev/assay/internal/glob"
	"github.com/assay-dev/assay/internal/sarif"
)

// Format is the form of an analyser's report.
type Format string

// The formats of reports.
const (
	FormatSARIF      Format = "sarif"
	FormatJSON       Format = "json"       // that of docs/analysers.md, for programs of the operator
	FormatShellcheck Format = "shellcheck" // json1 of shellcheck
	FormatOxlint     Format = "oxlint"     // json of oxlint
	FormatMatches    Format = "matches"    // stream of ast-grep, for patterns
)

// The placeholders of a command. Words of a command are fixed but for them.
const (
	placeFiles = "{files}" // a word of its own: one word for each file
	placeFile  = "{file}"  // within a word: the word is repeated for each file
	placeRules = "{rules}" // within a word: the path of the rules
)

// Profile says how to start an analyser and how to read its report. The program reads no configuration of the
// repository: options of the command forbid it, and the files are left out of its folder.
type Profile struct {
	Command   []string // words after the program, with placeholders
	Env       []string // variables beside those that every analyser has
	Format    Format
	Languages []string // names of [diff.Language]
	Paths     []string // patterns of further files
	Codes     []int    // exit codes of a run that ended well, beside 0
	Processes uint64   // beyond one; 0: none
	Time      time.Duration
	Memory    int64 // bytes
	OwnRules  bool  // it reads the rules of this program
	NeedRules bool  // the operator must name rules
	// Empty are files without content that stand beside those of the change, so that the program uses no defaults of its own.
	Empty []string
	// Place gives results lines, for a program whose reports name files only; nil for others.
	Place func(doc *sarif.Document, w *workspace)
}

// defaultTime and defaultMemory bound an analyser (design choices).
const (
	defaultTime   = time.Minute
	defaultMemory = 1 << 30
)

// profiles are the analysers that this package knows.
var profiles = map[string]Profile{
	"ast-grep": {
		Command: []string{"scan", "--config", placeRules + "/" + rules.Config, "--format", "sarif", placeFiles},
		Format:  FormatSARIF, Codes: []int{1}, OwnRules: true,
		Languages: []string{"Go", "TypeScript", "JavaScript", "react", "Python", "Java"},
	},
	"oxlint": {
		Command: []string{"--format=json", "--disable-nested-config", "--no-ignore", "--threads=2", placeFiles},
		Format:  FormatOxlint, Codes: []int{1},
		Languages: []string{"TypeScript", "JavaScript", "react", "vue", "Svelte", "Astro"},
	},
	"ruff": {
		Command: []string{"check", "--isolated", "--no-cache", "--no-fix", "--exit-zero", "--output-format=sarif",
			"--select=F,E9,B,PLE,S102,S301,S307,S324,S501,S506,S602,S608", placeFiles},
		Format: FormatSARIF, Languages: []string{"Python"},
	},
	"shellcheck": {
		Command: []string{"--norc", "--format=json1", "--severity=warning", "--exclude=SC1071", placeFiles}, // SC1071: a script of another shell
		Format:  FormatShellcheck, Codes: []int{1}, Languages: []string{"Bash"},
	},
	"hadolint": {
		Command: []string{"--no-fail", "--disable-ignore-pragma", "--format=sarif", placeFiles},
		Format:  FormatSARIF, Languages: []string{"Docker"},
		Paths: []string{"**/Dockerfile", "**/Dockerfile.*", "**/*.dockerfile", "**/Containerfile"},
	},
	"semgrep": {
		Command: []string{"scan", "--metrics=off", "--disable-version-check", "--no-git-ignore", "--quiet", "--jobs=1",
			"--max-target-bytes=0", // it skips files above 1 MB by default
			"--sarif", "--config", placeRules, placeFiles},
		Env:    []string{"SEMGREP_SEND_METRICS=off", "SEMGREP_ENABLE_VERSION_CHECK=0"},
		Format: FormatSARIF, Codes: []int{1}, NeedRules: true, Processes: 64, Time: 3 * time.Minute, Memory: 2 << 30,
		Empty: []string{".semgrepignore"}, // without one it leaves out folders such as tests and vendor
		Languages: []string{"Go", "TypeScript", "JavaScript", "react", "Python", "Java", "Ruby", "PHP", "C#",
			"Kotlin", "Scala", "Rust", "C", "C++"},
	},
	"osv-scanner": {
		Command: []string{"scan", "source", "--offline", "--format=sarif", "--local-db-path=" + placeRules, "--lockfile=" + placeFile},
		// 1: vulnerable packages; 128: the lock files name no package
		Format: FormatSARIF, Codes: []int{1, 128}, NeedRules: true, Memory: 2 << 30, Place: placePackages,
		Paths: []string{"**/go.mod", "**/package-lock.json", "**/yarn.lock", "**/pnpm-lock.yaml", "**/requirements.txt", "**/poetry.lock",
			"**/Pipfile.lock", "**/uv.lock", "**/Cargo.lock", "**/pom.xml", "**/gradle.lockfile", "**/composer.lock", "**/Gemfile.lock"},
	},
}

// profileOf returns a profile with its defaults, and false for an unknown name.
func profileOf(name string) (Profile, bool) {
	if name == "opengrep" { // its command line is that of semgrep, from which it descends
		name = "semgrep"
	}
	p, ok := profiles[name]
	if p.Time == 0 {
		p.Time = defaultTime
	}
	if p.Memory == 0 {
		p.Memory = defaultMemory
	}
	return p, ok
}

// profileNames lists the names of the profiles.
func profileNames() []string {
	out := []string{"opengrep"}
	for name := range profiles {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// IsConfiguration reports whether a repository configures an analyser with the file at a path.
func IsConfiguration(name string) bool {
	return glob.Any(configurations, strings.ToLower(path.Base(name)))
}

// configurations are the names of files by which a repository configures analysers, in lower case. No analyser gets one,
// because the author of a change could switch rules off with it, and some programs execute theirs.
var configurations = []string{"sgconfig.yml", "sgconfig.yaml", ".oxlintrc.json", "oxlint.config.*", ".eslintrc*", "eslint.config.*",
	".eslintignore", ".oxlintignore", "ruff.toml", ".ruff.toml", "pyproject.toml", "setup.cfg", "tox.ini", ".flake8", ".shellcheckrc",
	"shellcheckrc", ".hadolint.yaml", ".hadolint.yml", "hadolint.yaml", ".semgrep.yml", ".semgrep.yaml", ".semgrepignore", ".semgrepconfig*",
	".opengrepignore",
	"osv-scanner.toml", ".gitignore", ".ignore", ".gitattributes", ".editorconfig", ".env*", ".pylintrc", "biome.json*"}
