package check

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"github.com/spf13/viper"
	"github.com/zricethezav/gitleaks/v8/config"
	"github.com/zricethezav/gitleaks/v8/detect"
)

// maxFragment bounds the bytes that the detector gets at once, so that a context
// that ends is noticed within about a second (1 MB takes 1 to 1.6 s).
const maxFragment = 512 << 10

// genericRule matches by the name beside the value only; a more exact rule wins.
const genericRule = "generic-api-key"

// Scanner finds secrets with gitleaks' default rules. It is safe for concurrent
// use: the detector only reads its configuration while it scans.
type Scanner struct{ detector *detect.Detector }

// NewScanner builds the detector (about 30 ms); build it once.
func NewScanner() (*Scanner, error) {
	// The library's own constructor goes through a global viper; this does not.
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
	d := detect.NewDetector(cfg)
	// A comment "gitleaks:allow" in the change would let its author hide a
	// secret; suppressions come from the base branch only.
	d.IgnoreGitleaksAllow = true
	return &Scanner{detector: d}, nil
}

// Secret is a secret in a text. Its value cannot be printed, logged or marshalled.
type Secret struct {
	RuleID     string // of gitleaks, without prefix
	First      int    // 1-based line in the text
	Last       int    // inclusive
	Start, End int    // byte offsets of the value in the text
	value      string
}

// String, GoString, LogValue and MarshalJSON give the rule only.
func (s Secret) String() string { return fmt.Sprintf("[%s at line %d]", s.RuleID, s.First) }

// GoString keeps the value out of %#v.
func (s Secret) GoString() string { return s.String() }

// LogValue keeps the value out of logs.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// MarshalJSON keeps the value out of JSON.
func (s Secret) MarshalJSON() ([]byte, error) { return fmt.Appendf(nil, "%q", s.String()), nil }

// ScanText finds the secrets of a text that is not a file, such as an outgoing
// comment. It returns the context's error if the scan is incomplete.
func (s *Scanner) ScanText(ctx context.Context, text string) ([]Secret, error) {
	return s.scan(ctx, "", text)
}

// scan finds the secrets of a file's text, in order, one per place. The path is
// for rules and exceptions of gitleaks that depend on it.
func (s *Scanner) scan(ctx context.Context, path, text string) ([]Secret, error) {
	var out []Secret
	for base := 0; base < len(text); {
		end := len(text)
		if end-base > maxFragment {
			end = base + maxFragment
			if nl := strings.LastIndexByte(text[base:end], '\n'); nl >= 0 {
				end = base + nl + 1
			}
		}
		found, err := s.fragment(ctx, path, text[base:end])
		if err != nil {
			return nil, err
		}
		lines := strings.Count(text[:base], "\n")
		for _, f := range found {
			f.First, f.Last, f.Start, f.End = f.First+lines, f.Last+lines, f.Start+base, f.End+base
			out = append(out, f)
		}
		base = end
	}
	return distinct(out), nil
}

func (s *Scanner) fragment(ctx context.Context, path, text string) ([]Secret, error) {
	raw := text
	if !strings.HasSuffix(raw, "\n") {
		raw += "\n" // without it the library counts the last line wrongly
	}
	reports := s.detector.DetectContext(ctx, detect.Fragment{Raw: raw, FilePath: path})
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
		if value == "" {
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
		first, last := lineAt(starts, start), lineAt(starts, start+len(value)-1)
		out = append(out, Secret{RuleID: r.RuleID, First: first, Last: last, Start: start, End: min(start+len(value), len(text)), value: value})
	}
	return out, nil
}

func lineAt(starts []int, offset int) int {
	i, found := slices.BinarySearch(starts, offset)
	if found {
		return i + 1
	}
	return i
}

// distinct sorts secrets and keeps one of those that overlap: an exact rule
// before the generic one, then the longer value.
func distinct(in []Secret) []Secret {
	slices.SortStableFunc(in, func(a, b Secret) int {
		if g := rank(a) - rank(b); g != 0 {
			return g
		}
		if l := len(b.value) - len(a.value); l != 0 {
			return l
		}
		return strings.Compare(a.RuleID, b.RuleID)
	})
	var out []Secret
	for _, s := range in {
		if !slices.ContainsFunc(out, func(o Secret) bool { return s.Start < o.End && o.Start < s.End }) {
			out = append(out, s)
		}
	}
	slices.SortFunc(out, func(a, b Secret) int { return a.Start - b.Start })
	return out
}

func rank(s Secret) int {
	if s.RuleID == genericRule {
		return 1
	}
	return 0
}

// fileRule returns the rule that a file breaks by its name alone, such as a key
// store, "" if none.
func (s *Scanner) fileRule(ctx context.Context, path string) string {
	for _, r := range s.detector.DetectContext(ctx, detect.Fragment{FilePath: path}) {
		if r.Secret == "" {
			return r.RuleID
		}
	}
	return ""
}
