package policy

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/domain"
)

// FileSetting says how a repository's file may change a setting.
type FileSetting struct {
	Name   string
	Narrow string // what the file may say under repositoryFile: narrow, as the rest of "may only …"; "" for any value
	Guards string // prefixes of settings whose lock refuses this one, because it would hide what the lock demands; see demanded

	// narrow returns the value that holds under narrow, and false if the file asks for more than the policy.
	narrow   func(now, said json.RawMessage) (json.RawMessage, bool)
	fullOnly bool // narrow refuses every change
}

// FileSettings lists the settings that a repository's file may set, in the order of the policy. All others stay with
// the policy, see [NotInFile].
func FileSettings() (out []FileSetting) {
	out = []FileSetting{
		{"paths.include", "repeat patterns of the policy, or have any patterns if the policy includes every file",
			"deterministic,categories,check.failOn", someOf, false},
		{"paths.exclude", "add patterns to those of the policy", "deterministic,categories,check.failOn", addedTo, false},
		{"profile", "go from assertive to balanced to quiet", "deterministic.staticAnalysis,categories,check.failOn",
			later("assertive", "balanced", "quiet"), false},
	}
	for _, c := range domain.Categories() {
		name := "categories." + string(c)
		guard := "check.failOn"
		switch c {
		case domain.CategorySecret:
			guard += ",deterministic.secrets"
		case domain.CategoryStaticAnalysis:
			guard += ",deterministic.staticAnalysis"
		}
		out = append(out, FileSetting{name, "be false", guard, later("true", "false"), false})
	}
	return append(out, []FileSetting{
		{"minSeverity", "be a higher severity", "deterministic.staticAnalysis,categories,check.failOn",
			later("info", "low", "medium", "high", "critical"), false},
		{"minConfidence", "be a higher number", "categories,check.failOn", notBelow, false},
		{"maxInlineComments", "be a lower number", "", notAbove, false},
		{"quietWhenNothingNew", "be true", "", later("false", "true"), false},
		{"cleanReview", "be check", "", later("summary", "check"), false},
		{"fixes", "be off", "", later("suggestions", "off"), false},
		{"ciAnalysis", "go from all to required to off", "", later("all", "required", "off"), false},
		{"language", "", "", accepted, false},
		{"deterministic.secrets", "be true, as the policy has it", "categories.secret,check.failOn", later("true", "false"), true},
		{"deterministic.staticAnalysis", "be false", "categories.static-analysis,check.failOn", later("true", "false"), false},
		{"deterministic.analysers", "repeat names of the policy",
			"deterministic.staticAnalysis,categories.static-analysis,check.failOn", fewer, false},
		{"guidelineFiles", "be false", "categories.rule,check.failOn", later("true", "false"), false},
	}...)
}

// NotInFile returns why a repository's file must not set a setting or group of the policy, as the rest of a sentence
// that begins with its name. It returns "" for the settings of [FileSettings] and for unknown names.
func NotInFile(name string) string {
	group, _, _ := strings.Cut(name, ".")
	return notInFile[group]
}

var notInFile = map[string]string{
	"enabled":              "is set in the policy only, because it decides before the file is read",
	"triggers":             "is set in the policy only, because triggers decide before the file is read",
	"outsideContributors":  "is set in the policy only, because it decides how much a stranger's review may cost",
	"publishMode":          "is set in the policy only, because it decides whether a person approves reviews",
	"uploadWaitMinutes":    "is set in the policy only, because it belongs to uploads",
	"approvalExpiryHours":  "is set in the policy only, because it belongs to approvals",
	"check":                "is set in the policy only, because it decides whether a merge is blocked",
	"repositoryFile":       "is set in the policy only, because it bounds this file",
	"hostIssues":           "is set in the policy only, because issues are read before the file is",
	"finderLookups":        "is set in the policy only, because it raises what a review costs",
	"analyserExplanations": "is set in the policy only, because it raises what a review costs",
	"triage":               "is set in the policy only, because the first look comes before the file is read",
	"triageLabels":         "is set in the policy only, because the first look comes before the file is read",
	"triageLabelNames":     "is set in the policy only, because the first look comes before the file is read",

	// Names that people expect, and that are not settings of the policy.
	"analysers": "are listed by deterministic.analysers, and deterministic.staticAnalysis switches the built-in checks",
	"analyzers": "are listed by deterministic.analysers, and deterministic.staticAnalysis switches the built-in checks",
	"models":    "are chosen in the model policy only, because they decide what a review costs",
	"budget":    "is set in the model policy only, because it is money",
}

func fileSettingOf(name string) (FileSetting, bool) {
	all := FileSettings()
	i := slices.IndexFunc(all, func(s FileSetting) bool { return s.Name == name })
	if i < 0 {
		return FileSetting{}, false
	}
	return all[i], true
}

// accept returns the value that holds if a file sets a setting, or why it has no effect, as the rest of a sentence that
// begins with the setting's name.
func (f FileSetting) accept(now Setting, settings []Setting, mode string, said json.RawMessage) (value json.RawMessage, why string) {
	if now.Locked {
		return nil, "is locked by the tenant's repository defaults"
	}
	switch {
	case string(said) == string(now.Value):
		return said, ""
	case now.notInFile != "":
		return nil, now.notInFile
	}
	value, narrower := f.narrow(now.Value, said)
	if guard := f.guard(settings); guard != "" && (narrower || strings.HasPrefix(f.Name, "paths.")) {
		return nil, "is refused, because the tenant has locked " + guard + ", whose findings it could hide"
	}
	switch {
	case mode == FileFull:
		return said, ""
	case narrower && !f.fullOnly:
		return value, ""
	}
	return nil, fmt.Sprintf("may only %s: the policy says repositoryFile: narrow", f.Narrow)
}

// guard returns a setting whose lock demands findings that this setting would hide, or "".
func (f FileSetting) guard(settings []Setting) string {
	for prefix := range strings.SplitSeq(f.Guards, ",") {
		for _, s := range settings {
			if s.demanded() && Locks([]string{prefix}, s.Name) {
				return s.Name
			}
		}
	}
	return ""
}

// demanded reports whether the tenant has locked a check or a category to true, or the severity that fails the check.
func (s Setting) demanded() bool {
	return s.Locked && (string(s.Value) == "true" || s.Name == "check.failOn" && string(s.Value) != "null")
}

// later accepts values that come later in a list than the present one.
func later(order ...string) func(now, said json.RawMessage) (json.RawMessage, bool) {
	at := func(v json.RawMessage) int { return slices.Index(order, strings.Trim(string(v), `"`)) }
	return func(now, said json.RawMessage) (json.RawMessage, bool) {
		return said, at(said) >= at(now) && at(now) >= 0
	}
}

func accepted(_, said json.RawMessage) (json.RawMessage, bool) { return said, true }

func notBelow(now, said json.RawMessage) (json.RawMessage, bool) {
	return said, number(said) >= number(now)
}

func notAbove(now, said json.RawMessage) (json.RawMessage, bool) {
	return said, number(said) <= number(now)
}

func number(v json.RawMessage) (n float64) {
	_ = json.Unmarshal(v, &n) // the value has passed the checks of the setting
	return n
}

// someOf accepts a list that has nothing but entries of the present one. The empty list has everything.
func someOf(now, said json.RawMessage) (json.RawMessage, bool) {
	have, want := texts(now), texts(said)
	return said, len(have) == 0 || len(want) > 0 && !slices.ContainsFunc(want, func(w string) bool { return !slices.Contains(have, w) })
}

// fewer accepts a list that has nothing but entries of the present one.
func fewer(now, said json.RawMessage) (json.RawMessage, bool) {
	have := texts(now)
	return said, !slices.ContainsFunc(texts(said), func(w string) bool { return !slices.Contains(have, w) })
}

// addedTo joins two lists.
func addedTo(now, said json.RawMessage) (json.RawMessage, bool) {
	out := texts(now)
	for _, v := range texts(said) {
		if !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	raw, err := json.Marshal(append([]string{}, out...))
	return raw, err == nil
}

func texts(v json.RawMessage) (out []string) {
	_ = json.Unmarshal(v, &out) // as above
	return out
}
