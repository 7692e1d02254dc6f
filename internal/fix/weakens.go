package fix

import (
	"path"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/regexp"
	"github.com/assay-dev/assay/internal/review/change"
)

// The forms of tests, in code without comments.
var (
	assertion = regexp.MustCompile(`\bassert\w*\b|\bexpect\w*\s*\(|\.should\b|\bt\.(?:Error|Errorf|Fatal|Fatalf|Fail|FailNow)\(|` +
		`\b(?:require|must|is)\.\w+\(|\bverify\w*\(|\bfail\w*\(|\bpytest\.raises\b|` +
		`\.to(?:Be|Equal|Match|Throw|Have|Contain|Strict)\w*|\.rejects\b|\.resolves\b|\bcmp\.Diff\(`)
	strictMatcher = regexp.MustCompile(`\.to(?:Be|Equal|StrictEqual|MatchObject|HaveLength|BeCloseTo|Throw)\(|` +
		`\.toHaveBeenCalled(?:With|Times)\(|` +
		`\bassert(?:Equals?|_equal|Same|ArrayEquals|Is|DictEqual|ListEqual|Raises|Throws)\w*\s*\(|\bisEqualTo\(|` +
		`\b(?:require|assert)\.(?:Equal|ErrorIs|Len)\w*\(|===?|!==?|\bis\s+(?:not\s+)?(?:None|True|False)\b`)
	skip = regexp.MustCompile(`\bt\.Skip\w*\(|\btesting\.Short\(|\.(?:skip|todo|only|fixme|failing)\b|\bx(?:it|describe|test)\s*\(|` +
		`\bf(?:it|describe)\s*\(|@(?:Disabled|Ignore|Ignored|EnabledIf|DisabledOn|Timeout|RepeatedTest)\w*\b|` +
		`\bunittest\.(?:skip|expectedFailure)\w*|` +
		`\bpytest\.(?:skip|xfail|mark\.(?:skip|xfail|flaky)|importorskip)\w*|@(?:skip|expectedFailure)\w*|\bskipTest\(|\bSkipTest\b|` +
		`\bassume\w*\(|\bAssumptions\.|(?i:\b(?:retry|retries|flaky|rerun)\w*)|\b(?:env|environ|getenv|Getenv)\b[^\n]*\bCI\b`)
	trivial = regexp.MustCompile(`\bassert\w*\s*\(?\s*(?:t\s*,\s*)?(?:true|True|1\s*==\s*1|1)\s*\)?\s*;?\s*(?:\n|$)|` +
		`\bexpect\s*\(\s*(?:true|false|1|0)\s*\)|\bor\s+True\b|\|\|\s*true\b`)
	handler = regexp.MustCompile(`\btry\b|\bexcept\b|\bcatch\b|\brecover\(`)
	leaving = regexp.MustCompile(`(?m)(?:^|[{;:)])[ \t]*return[ \t]*;?[ \t]*(?:\}|$)`)
)

// isExpectation reports whether a file has what tests compare with.
func isExpectation(name string) bool {
	for part := range strings.SplitSeq(strings.ToLower(path.Dir(name)), "/") {
		if slices.Contains([]string{"testdata", "__snapshots__", "snapshots", "fixtures", "golden", "__fixtures__"}, part) {
			return true
		}
	}
	return strings.HasSuffix(name, ".snap") || strings.HasSuffix(name, ".golden")
}

// isTest reports whether a file has tests.
func isTest(d *document) bool { return d.class == diff.ClassTest }

// weakens reports whether a test file tests less: an assertion or a test is gone, an assertion has changed in a file in which
// the fix only follows, a test is skipped, or an assertion says nothing.
func weakens(p pair) bool {
	if !isTest(p.before) && !isTest(p.after) {
		return weakensInside(p)
	}
	times := func(re *regexp.Regexp, text string) int { return len(re.FindAllStringIndex(text, -1)) }
	for _, re := range []*regexp.Regexp{assertion, strictMatcher} {
		if times(re, p.after.bare) < times(re, p.before.bare) || p.loses(matching(re, p.before.bareLines()), matching(re, p.after.bareLines())) {
			return true
		}
	}
	for _, re := range []*regexp.Regexp{skip, trivial, handler, leaving} {
		if times(re, p.after.code) > times(re, p.before.code) {
			return true
		}
	}
	after := definitions(p.after)
	for name := range definitions(p.before) {
		if _, ok := after[name]; !ok {
			return true
		}
	}
	return false
}

// The marks of Rust's tests, which stand in the files that they test.
var (
	testMark   = regexp.MustCompile(`^\s*#\[(?:cfg\(test\)|(?:\w+::)*test\b)`)
	ignoreMark = regexp.MustCompile(`^\s*#\[(?:ignore\b|cfg_attr\(.*\bignore\b)`)
)

// weakensInside reports whether the tests in a source file test less: an assertion is gone or altered, or a test is ignored.
func weakensInside(p pair) bool {
	if p.before.language != "Rust" {
		return false
	}
	first := slices.IndexFunc(p.before.codeLines(), testMark.MatchString)
	if first < 0 {
		return false
	}
	within := p
	within.hunks = slices.DeleteFunc(slices.Clone(p.hunks), func(h *diff.Hunk) bool { return h.OldStart+h.OldLines <= first })
	asserts := matching(assertion, p.before.bareLines())
	if within.loses(func(n int) bool { return n > first && asserts(n) }, matching(assertion, p.after.bareLines())) {
		return true
	}
	removed, added := within.sides()
	before, after := at(p.before.codeLines(), removed), at(p.after.codeLines(), added)
	ignored := func(lines []string) int {
		return len(lines) - len(slices.DeleteFunc(slices.Clone(lines), ignoreMark.MatchString))
	}
	altered := slices.ContainsFunc(removed, func(n int) bool { return n > first && asserts(n) }) &&
		lessOf(literal, strings.Join(before, "\n"), strings.Join(after, "\n"))
	return altered || ignored(after) > ignored(before)
}

// literal matches a value that a test may compare with.
var literal = regexp.MustCompile(`"[^"\n]*"|'[^'\n]*'|\b(?:\d[\w.]*|true|false|True|False|null|nil|None|undefined)\b`)

// lessOf reports whether a text lacks a match that another one has.
func lessOf(re *regexp.Regexp, before, after string) bool {
	had := map[string]int{}
	for _, m := range re.FindAllString(after, -1) {
		had[m]++
	}
	return slices.ContainsFunc(re.FindAllString(before, -1), func(m string) bool { had[m]--; return had[m] < 0 })
}

// altersAssertion reports whether an assertion of a test file is changed or gone, or what a test compares with.
func altersAssertion(p pair) bool {
	if isExpectation(p.before.path) {
		return true
	}
	if !isTest(p.before) {
		return false
	}
	removed, added := p.sides()
	kept := map[string]int{}
	for _, l := range at(p.after.codeLines(), added) {
		kept[change.StripSpace(l)]++
	}
	if lessOf(literal, strings.Join(at(p.before.codeLines(), removed), "\n"), strings.Join(at(p.after.codeLines(), added), "\n")) {
		return true
	}
	bare := p.before.bareLines()
	for _, n := range removed {
		text := change.StripSpace(strings.Join(at(p.before.codeLines(), []int{n}), ""))
		if kept[text]--; kept[text] < 0 && n <= len(bare) && (assertion.MatchString(bare[n-1]) || strictMatcher.MatchString(bare[n-1])) {
			return true
		}
	}
	return false
}
