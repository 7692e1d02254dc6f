package check

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/viper"
	"github.com/zricethezav/gitleaks/v8/config"
	"github.com/zricethezav/gitleaks/v8/detect"
)

// Bounds of the text that the detector gets at once. It searches the line of every match from the beginning
// of its text, so its work grows with the square of the length, and it checks the context only between
// rules. Consecutive texts overlap, so that a secret on the border is found; a private key of 4096 bits has
// 3.3 KB.
const (
	maxFragment = 64 << 10
	overlap     = 8 << 10
)

// genericRule matches only by the name beside the value; more exact rules win.
const genericRule = "generic-api-key"

const privateKeyRule = "private-key"

// Scanner finds secrets with gitleaks' default rules. It is safe for concurrent use, because the detectors
// only read their configuration while they scan.
type Scanner struct {
	fair   *detect.Detector // uses gitleaks' lists of allowed values; its results are reported
	strict *detect.Detector // ignores all lists of allowed values; its results are kept out of prompts
	named  map[string]bool  // the rules that rest on a name beside the value
	paths  []*config.Allowlist
	texts  *textRules // for [Scanner.MayHold]
}

// NewScanner returns the scanner of this process. The first call builds its detectors, which takes about 60
// ms.
func NewScanner() (*Scanner, error) { return scannerOfProcess() }

var scannerOfProcess = sync.OnceValues(buildScanner)

func buildScanner() (*Scanner, error) {
	// The library's own constructor uses a global viper; this does not.
	v := viper.New()
	v.SetConfigType("toml")
	if err := v.ReadConfig(strings.NewReader(config.DefaultConfig)); err != nil {
		return nil, fmt.Errorf("read the secret rules: %w", err)
	}
	var raw config.ViperConfig
	if err := v.Unmarshal(&raw); err != nil {
		return nil, fmt.Errorf("read the secret rules: %w", err)
	}
	cfg, err := raw.Translate()
	if err != nil {
		return nil, fmt.Errorf("read the secret rules: %w", err)
	}
	named := map[string]bool{}
	for id, r := range cfg.Rules {
		if r.Regex != nil {
			form := r.Regex.String()
			named[id] = strings.HasPrefix(form, `(?i)[\w.-]{0,50}?(`) || strings.HasPrefix(form, `[\w.-]{0,50}?(`)
		}
	}
	return &Scanner{fair: detector(reportConfig(cfg, named)), strict: detector(withoutAllowLists(cfg)),
		named: named, paths: cfg.Allowlists, texts: rulesForTexts(cfg)}, nil
}

// reportConfig makes the configuration for reports. Rules for values with a distinctive form ignore lists of
// allowed paths, because the author chooses paths. They keep the lists of values, because placeholders are
// not secrets, except for private keys, which may contain any text. Rules that rest on a name keep all of
// gitleaks' lists.
func reportConfig(cfg config.Config, named map[string]bool) config.Config {
	var values []*config.Allowlist
	for _, a := range cfg.Allowlists {
		exact := slices.DeleteFunc(slices.Clone(a.Regexes), func(r *regexp.Regexp) bool { return r.MatchString("a false value") })
		values = append(values, &config.Allowlist{Regexes: exact, StopWords: a.StopWords})
	}
	rules := maps.Clone(cfg.Rules)
	for id, r := range rules {
		switch {
		case named[id]:
			r.Allowlists = slices.Concat(r.Allowlists, cfg.Allowlists)
		case id == privateKeyRule:
			r.Allowlists = nil
		default:
			own := slices.DeleteFunc(slices.Clone(r.Allowlists), func(a *config.Allowlist) bool { return len(a.Paths) > 0 })
			r.Allowlists = slices.Concat(own, values)
		}
		rules[id] = r
	}
	cfg.Rules, cfg.Allowlists = rules, nil
	return cfg
}

func detector(cfg config.Config) *detect.Detector {
	d := detect.NewDetector(cfg)
	// The comment "gitleaks:allow" in a change would let its author hide a secret. Suppressions come only
	// from the base branch.
	d.IgnoreGitleaksAllow = true
	return d
}

// nameLike matches values that [genericRule] takes for secrets where a program uses a name: token =
// response.accessToken. A generated secret without a digit is unlikely at its length.
var nameLike = regexp.MustCompile(`^[a-zA-Z_.-]+$`)

// withoutAllowLists drops every list of allowed paths, values and words, because the author of a change
// chooses its paths and values. Names in code stay allowed for the generic rule.
func withoutAllowLists(cfg config.Config) config.Config {
	cfg.Allowlists = nil
	rules := maps.Clone(cfg.Rules)
	for id, r := range rules {
		r.Allowlists = nil
		if id == genericRule {
			r.Allowlists = []*config.Allowlist{{Regexes: []*regexp.Regexp{nameLike}}}
		}
		rules[id] = r
	}
	cfg.Rules = rules
	return cfg
}

// Secret is a secret in a text. Its value cannot be printed, logged or marshalled.
type Secret struct {
	RuleID     string // rule of gitleaks, without prefix
	First      int    // 1-based line in the text
	Last       int    // inclusive
	Start, End int    // byte offsets of the value in the text
	value      string
	key        string // the name beside it, for assay's rules
	ownGrade   grade  // for assay's rules
}

// String returns the rule and the line without the value.
func (s Secret) String() string { return fmt.Sprintf("[%s at line %d]", s.RuleID, s.First) }

// GoString keeps the value out of %#v.
func (s Secret) GoString() string { return s.String() }

// LogValue keeps the value out of logs.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// MarshalJSON keeps the value out of JSON.
func (s Secret) MarshalJSON() ([]byte, error) { return fmt.Appendf(nil, "%q", s.String()), nil }

// ScanText finds the secrets in a text that is not a file, such as an outgoing comment. It returns the
// context's error if the scan is incomplete.
func (s *Scanner) ScanText(ctx context.Context, text string) ([]Secret, error) {
	found, err := scan(ctx, s.fair, "", text)
	return slices.DeleteFunc(found, func(s Secret) bool { return isOurs(s.RuleID) && s.ownGrade != certain }), err
}

// scan finds all possible secrets in the text of a file, including allowed ones.
func (s *Scanner) scan(ctx context.Context, path, text string) ([]Secret, error) {
	return scan(ctx, s.strict, path, text)
}

// scan finds the secrets in the text of a file, in order, one for each place. Some rules of gitleaks depend
// on the path.
func scan(ctx context.Context, d *detect.Detector, path, text string) ([]Secret, error) {
	var out []Secret
	base, lines := 0, 0
	for base < len(text) {
		end, next := fragmentEnd(text, base)
		found, err := fragment(ctx, d, path, text[base:end])
		if err != nil {
			return nil, err
		}
		for _, f := range found {
			f.First, f.Last, f.Start, f.End = f.First+lines, f.Last+lines, f.Start+base, f.End+base
			out = append(out, f)
		}
		lines += strings.Count(text[base:next], "\n")
		base = next
	}
	return distinct(out, len(text)), nil
}

// fragmentEnd returns the end of a fragment of a text and the beginning of the next one: at a line if
// possible, else in the middle of a long line.
func fragmentEnd(text string, base int) (end, next int) {
	end = len(text)
	if end-base <= maxFragment {
		return end, end
	}
	end = base + maxFragment
	if nl := strings.LastIndexByte(text[end-overlap:end], '\n'); nl >= 0 {
		end += nl + 1 - overlap
	}
	next = end - overlap
	if nl := strings.IndexByte(text[next:end-overlap/2], '\n'); nl >= 0 {
		next += nl + 1
	}
	return end, next
}

func fragment(ctx context.Context, d *detect.Detector, path, text string) ([]Secret, error) {
	raw := text
	if !strings.HasSuffix(raw, "\n") {
		raw += "\n" // without it the library counts the last line wrongly
	}
	reports := d.DetectContext(ctx, detect.Fragment{Raw: raw, FilePath: path})
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var starts []int // offset at which each line starts
	for at := 0; at < len(raw); at += strings.IndexByte(raw[at:], '\n') + 1 {
		starts = append(starts, at)
	}
	var out []Secret
	for _, r := range reports {
		value := strings.Trim(r.Secret, "\r\n")
		if value == "" || r.RuleID == genericRule && isCredentialName(value) {
			continue
		}
		// StartLine is 0-based and that of the whole match; the value may begin later.
		from := starts[min(max(r.StartLine, 0), len(starts)-1)]
		at := strings.Index(raw[from:], value)
		if at < 0 {
			if from, at = 0, strings.Index(raw, value); at < 0 {
				continue
			}
		}
		start := from + at
		if r.RuleID == privateKeyRule {
			value = wholeKey(raw[start:], value)
		}
		first, last := lineAt(starts, start), lineAt(starts, start+len(value)-1)
		out = append(out, Secret{RuleID: r.RuleID, First: first, Last: last, Start: start, End: min(start+len(value), len(text)), value: value})
	}
	return append(out, secretsByPosition(path, text)...), nil
}

// wholeKey extends a match that ends within the first line of another key, because the key before it is
// empty.
func wholeKey(text, value string) string {
	const end = "-----END"
	if strings.Count(value, "-----BEGIN") <= strings.Count(value, end) {
		return value
	}
	rest := text[len(value):]
	if i := strings.Index(rest, end); i >= 0 {
		return text[:len(value)+i+len(end)]
	}
	return value
}

func lineAt(starts []int, offset int) int {
	i, found := slices.BinarySearch(starts, offset)
	if found {
		return i + 1
	}
	return i
}

// distinct sorts secrets and keeps one of those that overlap: an exact rule wins over the generic rule, the
// generic rule over assay's rules, then the longer value wins. size is the length of the text.
func distinct(in []Secret, size int) []Secret {
	slices.SortStableFunc(in, func(a, b Secret) int {
		return cmp.Or(rank(a)-rank(b), len(b.value)-len(a.value), strings.Compare(a.RuleID, b.RuleID), a.Start-b.Start)
	})
	if len(in) < 2 {
		return in
	}
	var out []Secret
	taken := make([]bool, size) // the bytes that a kept secret covers
	for _, s := range in {
		if !slices.Contains(taken[s.Start:s.End], true) {
			out = append(out, s)
			for i := s.Start; i < s.End; i++ {
				taken[i] = true
			}
		}
	}
	slices.SortFunc(out, func(a, b Secret) int { return a.Start - b.Start })
	return out
}

func rank(s Secret) int {
	switch {
	case s.RuleID == genericRule:
		return 1
	case isOurs(s.RuleID):
		return 2
	}
	return 0
}

// isNamed reports whether a secret was found by the name beside it. One rule's bare form also matches any
// SHA-1.
func (s *Scanner) isNamed(found Secret) bool {
	return s.named[found.RuleID] || found.RuleID == passwordRule || found.RuleID == "sourcegraph-access-token" &&
		!strings.Contains(found.value, "_")
}

// isIgnored reports whether gitleaks skips a path for rules that rest on a name.
func (s *Scanner) isIgnored(path string) bool {
	return slices.ContainsFunc(s.paths, func(a *config.Allowlist) bool { return a.PathAllowed(path) })
}

// fileRule returns the rule that a file breaks by its name alone, such as a key store, or "".
func (s *Scanner) fileRule(ctx context.Context, path string) string {
	for _, r := range s.fair.DetectContext(ctx, detect.Fragment{FilePath: path}) {
		if r.Secret == "" {
			return r.RuleID
		}
	}
	return ""
}
