package check

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/regexp"
)

// Bounds of the comments of one file (design choices): those that are named, and removed ones that are compared.
const (
	maxSwitches      = 100
	maxMovedSwitches = 1000
)

// switchWord matches the beginning of a comment that switches findings of an analyser off.
var switchWord = regexp.MustCompile(`^(?://|/\*+|#|<!--|--|;)?!?\s*(nolint|lint:ignore|#?nosec|noqa|type:\s*ignore|mypy:\s*ignore-errors|` +
	`pyright:\s*ignore|pylint:\s*disable|eslint-disable(?:-next-line|-line)?|@ts-(?:ignore|nocheck|expect-error)|tslint:disable|` +
	`biome-ignore|stylelint-disable|rubocop:\s*disable|NOSONAR|nosemgrep|gitleaks:allow|pragma:\s*allowlist secret|shellcheck\s+disable|` +
	`hadolint\s+ignore|checkov:skip|tfsec:ignore|trivy:ignore|phpcs:(?:ignore|disable)|@phpstan-ignore|@psalm-suppress|swiftlint:disable|` +
	`ast-grep-ignore|oxlint-(?:disable|ignore)|ktlint-disable|sqlfluff:|squawk-ignore|actionlint-disable)`)

// switchHint matches a line that may have such a comment, at little cost.
var switchHint = regexp.MustCompile(`(?i)nolint|ignore|nosec|noqa|disable|nosonar|nosemgrep|gitleaks:allow|allowlist|` +
	`checkov|suppress|nocheck|expect-error|sqlfluff`)

// analyserSwitches returns "path:line (word)" for each added comment that switches findings of an analyser off. A comment that the change
// only moves, or whose code alone it changes, in documents, or in a string is not one. The checks of this package obey no such comment.
func analyserSwitches(ctx context.Context, f *diff.File, src Source) ([]string, error) {
	g := grammarOf(f.Language)
	if g == nil || f.Status == diff.Deleted || f.Class == diff.ClassDocs || f.Class == diff.ClassData || f.Class == diff.ClassVendored ||
		f.Class == diff.ClassGenerated {
		return nil, nil
	}
	var removed []string
	hinted := map[int]string{}
	for _, h := range f.Hunks {
		for _, l := range h.Lines {
			switch {
			case !switchHint.MatchString(clip.Bytes(l.Text, maxWindow)):
			case l.Op == diff.Delete:
				removed = append(removed, strings.TrimSpace(l.Text))
			case l.Op == diff.Add:
				hinted[l.New] = l.Text
			}
		}
	}
	if len(hinted) == 0 {
		return nil, nil
	}
	content, err := head(ctx, src, f.Path)
	if err != nil || len(content) > maxSegmented {
		return nil, err
	}
	var out []string
	x := segmenter{grammar: g}
	number := 0
	for line := range strings.SplitSeq(string(content), "\n") {
		number++
		line = strings.TrimSuffix(line, "\r")
		spans := x.line(line)
		if hinted[number] != line || len(line) == 0 {
			continue
		}
		word, text := switchIn(line, spans)
		if word == "" {
			continue
		}
		if i := slices.IndexFunc(removed, func(l string) bool { return strings.HasSuffix(l, text) }); i >= 0 && len(removed) <= maxMovedSwitches {
			removed = slices.Delete(removed, i, i+1)
			continue
		}
		if len(out) == maxSwitches {
			break
		}
		out = append(out, fmt.Sprintf("%s:%d (%s)", visible(clip.Line(f.Path)), number, clip.Line(word)))
	}
	return out, nil
}

// switchIn returns the word of a switch in a comment of a line, and the rest of the line from there on. The word is "" without one.
func switchIn(line string, spans []span) (word, rest string) {
	for _, s := range spans {
		if !s.comment || s.start > len(line) {
			continue
		}
		text := line[s.start:min(s.end, len(line))]
		for text != "" {
			text = strings.TrimLeft(text, " \t*")
			if m := switchWord.FindStringSubmatch(text); m != nil {
				return strings.TrimPrefix(m[1], "#"), strings.TrimSpace(line[strings.Index(line, m[0]):])
			}
			next := strings.Index(text[1:], "//")
			if hash := strings.Index(text[1:], " #"); next < 0 || hash >= 0 && hash < next {
				next = hash
			}
			if next < 0 {
				break
			}
			text = text[next+1:]
		}
	}
	return "", ""
}

// switchAnywhere matches the words of [switchWord] wherever they stand.
var switchAnywhere = regexp.MustCompile(`nolint|lint:ignore|nosec|noqa|type:\s*ignore|mypy:\s*ignore-errors|pyright:\s*ignore|pylint:\s*disable|` +
	`eslint-disable|@ts-(?:ignore|nocheck|expect-error)|biome-ignore|NOSONAR|nosemgrep|nosem|shellcheck\s+disable|` +
	`hadolint\s+ignore|ast-grep-ignore|oxlint-(?:disable|ignore)|ruff:\s*noqa|flake8:\s*noqa|rubocop:\s*disable`)

// WithoutNewSwitches returns the content of a file with the words crossed out by which its added lines switch findings of analysers
// off. Lines keep their lengths. A line that the change has only moved keeps its words.
func WithoutNewSwitches(f *diff.File, content []byte) []byte {
	if f == nil || !switchAnywhere.Match(content) {
		return content
	}
	added, removed := map[int]bool{}, map[string]bool{}
	for _, h := range f.Hunks {
		for _, l := range h.Lines {
			switch l.Op {
			case diff.Add:
				added[l.New] = true
			case diff.Delete:
				removed[strings.TrimSpace(l.Text)] = true
			}
		}
	}
	out := bytes.Clone(content)
	start := 0
	for number := 1; start < len(out); number++ {
		line := out[start:]
		if end := bytes.IndexByte(line, '\n'); end >= 0 {
			line = line[:end]
		}
		start += len(line) + 1
		if !added[number] || removed[strings.TrimSpace(string(line))] {
			continue
		}
		for _, at := range switchAnywhere.FindAllStringIndex(string(line), -1) {
			for i := at[0]; i < at[1]; i++ {
				if line[i] != ' ' && line[i] != '\t' {
					line[i] = 'x'
				}
			}
		}
	}
	return out
}
