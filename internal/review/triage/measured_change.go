package triage

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
)

// measuredChange is the result of a look at a change without a model.
type measuredChange struct {
	Files, Lines int // all files; added and removed lines of files that people write
	Size         string
	Kind         string
	Risk         string
	Areas        []string
	Labels       []string
	Cut          bool // a part of the change was not visible
}

// measureChange judges a change by its paths, its numbers of lines and the first word of its title. names are the
// labels that may be suggested. It is a pure function.
func measureChange(set *diff.Set, title string, names []string) measuredChange {
	c := count(set)
	out := measuredChange{Files: len(set.Files), Lines: c.lines, Size: domain.SizeOf(c.lines), Kind: changeKind(c, title), Risk: changeRisk(c),
		Areas: areas(set), Cut: c.cut}
	if c.cut { // the parts that the host does not show are large
		out.Size = domain.SizeXL
	}
	out.Labels = suggest(names, out, c.sensitive > 0)
	return out
}

// counts is a change in numbers.
type counts struct {
	byClass             map[diff.Class]int // files
	files               int
	lines, added        int // of files that people write
	source, tests       int // lines
	sensitive, newFiles int // files
	manifests           int // files that name dependencies
	cut                 bool
}

func count(set *diff.Set) counts {
	c := counts{byClass: map[diff.Class]int{}, files: len(set.Files), cut: set.Lacks != ""}
	for _, f := range set.Files {
		c.byClass[f.Class]++
		if f.Omitted != "" {
			c.cut = true
		}
		if slices.Contains(manifests, strings.ToLower(path.Base(f.Path))) {
			c.manifests++
		}
		if diff.Sensitive(f.Path) {
			c.sensitive++
		}
		if f.Class.Ignored() && f.Class != diff.ClassDocs {
			continue
		}
		c.lines += f.Additions + f.Deletions
		c.added += f.Additions
		switch f.Class {
		case diff.ClassSource, diff.ClassMigration:
			c.source += f.Additions + f.Deletions
			if f.Status == diff.Added {
				c.newFiles++
			}
		case diff.ClassTest:
			c.tests += f.Additions + f.Deletions
		}
	}
	return c
}

// manifests are files that name dependencies, besides lock files.
var manifests = []string{"go.mod", "package.json", "requirements.txt", "pyproject.toml", "setup.py", "pipfile", "cargo.toml",
	"gemfile", "composer.json", "pom.xml", "build.gradle",
	"build.gradle.kts", "mix.exs", "pubspec.yaml", "podfile", "package.swift", "directory.packages.props"}

// changeKind returns the kind of change. A revert in the title comes first, then a class that all files share, then a usual
// first word of the title, then migrations and new files.
func changeKind(c counts, title string) string {
	all := func(classes ...diff.Class) bool {
		n := 0
		for _, k := range classes {
			n += c.byClass[k]
		}
		return c.files > 0 && n == c.files
	}
	switch word := titleKind(title); {
	case word == domain.ChangeRevert:
		return word
	case all(diff.ClassDocs):
		return domain.ChangeDocs
	case all(diff.ClassTest), all(diff.ClassTest, diff.ClassData):
		return domain.ChangeTest
	case c.files > 0 && c.manifests+c.byClass[diff.ClassLock]+c.byClass[diff.ClassVendored] == c.files:
		return domain.ChangeDependencies
	case all(diff.ClassGenerated, diff.ClassMinified):
		return domain.ChangeGenerated
	case all(diff.ClassCI):
		return domain.ChangeCI
	case all(diff.ClassConfig, diff.ClassCI, diff.ClassLock):
		return domain.ChangeConfig
	case word != "":
		return word
	case c.byClass[diff.ClassMigration] > 0:
		return domain.ChangeMigration
	case c.newFiles > 0 && c.added*2 > c.lines:
		return domain.ChangeFeature
	}
	return domain.ChangeOther
}

// firstWord matches the type of a conventional commit (https://www.conventionalcommits.org/en/v1.0.0/), or
// the first word of another title.
var firstWord = regexp.MustCompile(`^\s*([A-Za-z]{2,20})(\([^()]{0,100}\))?!?(:|\s|$)`)

var titleWords = map[string]string{"feat": domain.ChangeFeature, "feature": domain.ChangeFeature, "fix": domain.ChangeFix,
	"bugfix": domain.ChangeFix, "hotfix": domain.ChangeFix, "fixes": domain.ChangeFix,
	"refactor": domain.ChangeRefactoring, "perf": domain.ChangePerformance, "docs": domain.ChangeDocs, "doc": domain.ChangeDocs,
	"test": domain.ChangeTest, "tests": domain.ChangeTest,
	"deps": domain.ChangeDependencies, "bump": domain.ChangeDependencies, "ci": domain.ChangeCI, "revert": domain.ChangeRevert}

// titleKind returns the kind that a title claims, or "". A title is the author's claim.
func titleKind(title string) string {
	m := firstWord.FindStringSubmatch(title)
	if m == nil {
		return ""
	}
	return titleWords[strings.ToLower(m[1])]
}

// changeRisk rates a change in points (design choice). The kind of its files weighs more than its length.
func changeRisk(c counts) string {
	points := 0
	add := func(n int, holds bool) {
		if holds {
			points += n
		}
	}
	add(2, c.sensitive > 0)
	add(1, c.sensitive > 3)
	add(1, c.byClass[diff.ClassMigration] > 0)
	add(1, c.lines > 250)
	add(1, c.lines > 1000 || c.cut)
	add(1, c.source > 100 && c.tests == 0)
	switch {
	case points >= 4:
		return domain.RiskHigh
	case points >= 2:
		return domain.RiskMedium
	}
	return domain.RiskLow
}

// containerFolders are folders whose own names say little, so that the folder below them is the area.
var containerFolders = []string{"src", "internal", "pkg", "packages", "apps", "app", "services", "lib", "libs", "cmd", "modules",
	"crates", "components", "projects"}

// areas returns the folders that a change touches, those with the most lines first.
func areas(set *diff.Set) []string {
	lines := map[string]int{}
	for _, f := range set.Files {
		parts := strings.Split(f.Path, "/")
		if len(parts) < 2 {
			continue
		}
		name := parts[0]
		if len(parts) > 2 && slices.Contains(containerFolders, strings.ToLower(name)) {
			name += "/" + parts[1]
		}
		lines[cleanName(name)] += f.Additions + f.Deletions + 1
	}
	var out []string
	for name := range lines {
		if name != "" {
			out = append(out, name)
		}
	}
	slices.SortFunc(out, func(a, b string) int { return cmp.Or(cmp.Compare(lines[b], lines[a]), cmp.Compare(a, b)) })
	return out[:min(len(out), domain.MaxTriageAreas)]
}

// cleanName returns a name from outside on one line, bounded and without invisible characters.
func cleanName(name string) string {
	name = strings.Map(func(r rune) rune {
		if r == unicode.ReplacementChar || !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, name)
	return clip.Bytes(name, domain.MaxTriageArea)
}
