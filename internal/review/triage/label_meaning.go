package triage

import (
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
)

// labelWords maps the words of repositories' labels to kinds of change. The words are in lower case, without the
// part before a colon or a slash.
var labelWords = map[string]string{
	"bug": domain.ChangeFix, "fix": domain.ChangeFix, "bugfix": domain.ChangeFix,
	"enhancement": domain.ChangeFeature, "feature": domain.ChangeFeature,
	"documentation": domain.ChangeDocs, "docs": domain.ChangeDocs,
	"test": domain.ChangeTest, "tests": domain.ChangeTest, "testing": domain.ChangeTest,
	"dependencies": domain.ChangeDependencies, "deps": domain.ChangeDependencies,
	"ci": domain.ChangeCI, "ci/cd": domain.ChangeCI, "refactor": domain.ChangeRefactoring, "refactoring": domain.ChangeRefactoring,
	"performance": domain.ChangePerformance, "perf": domain.ChangePerformance, "revert": domain.ChangeRevert,
	"config": domain.ChangeConfig, "configuration": domain.ChangeConfig, "migration": domain.ChangeMigration,
	"database": domain.ChangeMigration,
}

// Words before the colon or the slash of a label that name its subject.
var (
	aboutKind = []string{"kind", "type", "c", "category"}
	aboutArea = []string{"area", "component", "module", "scope", "package"}
)

// meaning is the meaning of a label; all fields are "" if it is not known here.
type meaning struct{ kind, size, risk, area string }

// meaningOf reads the name of a label. An area needs its word before it. Otherwise a person could name a
// folder after a label that starts something, and so set that label.
func meaningOf(label string) (m meaning) {
	name := strings.ToLower(strings.TrimSpace(label))
	about, rest := "", name
	if i := strings.IndexAny(name, ":/"); i > 0 && name != "ci/cd" {
		about, rest = strings.TrimSpace(name[:i]), strings.TrimSpace(name[i+1:])
	} else if before, after, found := strings.Cut(name, "-"); found && before == "size" {
		about, rest = before, after
	}
	switch {
	case about == "size" && slices.Contains([]string{domain.SizeXS, domain.SizeS, domain.SizeM, domain.SizeL, domain.SizeXL}, rest):
		m.size = rest
	case about == "risk" && slices.Contains([]string{domain.RiskLow, domain.RiskMedium, domain.RiskHigh}, rest):
		m.risk = rest
	case slices.Contains(aboutArea, about):
		m.area = rest
	case about == "" || slices.Contains(aboutKind, about):
		m.kind = labelWords[rest]
	}
	return m
}

// candidates returns the labels that may be suggested: those in the policy, or the repository's labels with
// a known meaning. It leaves out labels by which the policy starts reviews.
func candidates(p domain.Policy, repository []string) []string {
	from := p.TriageLabelNames
	if len(from) == 0 {
		from = repository
	}
	var out []string
	seen := map[string]bool{}
	for _, l := range from {
		key := strings.ToLower(l)
		switch {
		case seen[key], codehost.CheckLabels("suggest labels", []string{l}) != nil,
			slices.ContainsFunc(p.Triggers.Labels, func(t string) bool { return strings.EqualFold(t, l) }),
			len(p.TriageLabelNames) == 0 && meaningOf(l) == (meaning{}):
			continue
		}
		seen[key] = true
		if out = append(out, l); len(out) == maxCandidates {
			break
		}
	}
	return out
}

// maxCandidates bounds the labels that are examined and sent to a model.
const maxCandidates = 200

// suggest picks the labels that fit the change, at most [domain.MaxTriageLabels].
func suggest(names []string, s measuredChange, sensitive bool) []string {
	out := []string{}
	for _, l := range names {
		m := meaningOf(l)
		fits := m.kind != "" && m.kind == s.Kind || m.size != "" && m.size == s.Size || m.risk != "" && m.risk == s.Risk ||
			m.area != "" && slices.ContainsFunc(s.Areas, func(a string) bool { return sameArea(a, m.area) }) ||
			sensitive && strings.EqualFold(l, "security")
		if fits && len(out) < domain.MaxTriageLabels {
			out = append(out, l)
		}
	}
	return out
}

// sameArea reports whether a label's area names a folder: by its path or the last part of it.
func sameArea(folder, area string) bool {
	folder = strings.ToLower(folder)
	return folder == area || folder[strings.LastIndexByte(folder, '/')+1:] == area
}
