package fix

import (
	"maps"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/regexp"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/check"
	"github.com/assay-dev/assay/internal/review/structure"
)

// guard is a test that a fix must pass, by the text of the edited file alone. It returns true for a fix that fails.
type guard struct {
	reason Reason
	fails  func(p pair) bool
}

// guards are the tests in their order.
var guards = []guard{{WeakensTest, weakens}, {Removes, removes}, {Disables, disables}, {SwallowsError, swallows}, {AddsSwitch, switches},
	{AddsAccess, accesses}}

// docstring matches a text of Python that stands as a statement.
var docstring = regexp.MustCompile(`(?ms)^[ \t]*[rRuUbB]{0,2}(?:"""(?:[^"]|"[^"]|""[^"])*"""|'''(?:[^']|'[^']|''[^'])*''')[ \t]*$`)

// program returns the code of a document without comments and white space that means nothing.
func program(d *document) string {
	code := d.code
	if d.language == "Python" {
		code = docstring.ReplaceAllString(code, "")
	}
	if d.language != "Python" && d.language != "YAML" {
		return change.StripSpace(code)
	}
	var b strings.Builder
	for line := range strings.SplitSeq(code, "\n") {
		if text := strings.TrimLeft(line, " \t"); strings.TrimSpace(text) != "" {
			b.WriteString(line[:len(line)-len(text)] + change.StripSpace(text) + "\n")
		}
	}
	return b.String()
}

// noCode reports whether nothing but comments and white space differs.
func noCode(pairs []pair) bool {
	return !slices.ContainsFunc(pairs, func(p pair) bool { return program(p.before) != program(p.after) })
}

// definitions returns the functions and types of a document by their names.
func definitions(d *document) map[string]structure.Contract {
	out := map[string]structure.Contract{}
	for _, c := range structure.Contracts(d.language, d.raw) {
		if c.Kind != structure.KindValue {
			out[c.Name] = c
		}
	}
	return out
}

// removes reports whether a definition is gone or has lost its body.
func removes(p pair) bool {
	after := definitions(p.after)
	if strings.TrimSpace(p.after.code) == "" {
		return true
	}
	for name, was := range definitions(p.before) {
		is, ok := after[name]
		if !ok {
			return true
		}
		if before, left := body(p.before, was), body(p.after, is); len(before) >= 4 && len(left) <= 1 {
			return true
		}
	}
	return false
}

// body returns the lines with code within a definition, without its first line and without brackets alone.
func body(d *document, c structure.Contract) (out []string) {
	lines := d.codeLines()
	for _, l := range lines[min(c.Start, len(lines)):min(c.End, len(lines))] {
		if strings.Trim(l, " \t{}();") != "" {
			out = append(out, l)
		}
	}
	return out
}

var (
	constantCondition = regexp.MustCompile(`\b(?:if|while|elif|unless)\s*\(?\s*!?\s*(?:false|true|False|True|None|null|0|1)\s*\)?\s*(?:[:{]|&&|\|\||$|` +
		`and\b|or\b|return|continue|throw)|(?:&&|\band\b)\s*\(?\s*(?:false|False|0)\b|(?:\|\||\bor\b)\s*\(?\s*(?:true|True|1)\b|` +
		`\b(?:false|False)\s*(?:&&|and\b)|\b(?:true|True)\s*(?:\|\||or\b)|\b([01])\s*[!=]==?\s*[01]\b`)
	leavesLine = regexp.MustCompile(`^(?:return\b|throw\b|raise\b|panic\(|break\b|continue\b|sys\.exit\(|os\.Exit\(|process\.exit\(|System\.exit\()`)
	mayFollow  = regexp.MustCompile(`^(?:[)}\].,?:]|case\b|default\b|else\b|elif\b|except\b|finally\b|catch\b|end\b|while\b|@|\w+:$)`)
	isolated   = regexp.MustCompile(`^(?:if|else|for|while|elif)\b.*[^{:;]$`)
)

// disables reports whether an added line makes a condition constant, or makes code behind it unreachable.
func disables(p pair) bool {
	removed, added := p.sides()
	gone := strings.Join(at(p.before.bareLines(), removed), "\n")
	constants := func(s string) int { return len(constantCondition.FindAllStringIndex(s, -1)) }
	lines := p.after.bareLines()
	if constants(strings.Join(at(lines, added), "\n")) > constants(gone) {
		return true
	}
	return slices.ContainsFunc(added, func(n int) bool { return n <= len(lines) && cutsOff(lines, n-1) })
}

// cutsOff reports whether the statement of a line leaves, and a further statement of the same block follows.
func cutsOff(lines []string, i int) bool {
	text := strings.TrimLeft(lines[i], " \t")
	if !leavesLine.MatchString(strings.TrimSpace(text)) {
		return false
	}
	in := len(lines[i]) - len(text)
	if i > 0 && isolated.MatchString(strings.TrimSpace(lines[i-1])) { // a condition without brackets
		return false
	}
	depth := strings.Count(text, "{") + strings.Count(text, "(") + strings.Count(text, "[") -
		strings.Count(text, "}") - strings.Count(text, ")") - strings.Count(text, "]")
	for _, l := range lines[i+1:] {
		next := strings.TrimLeft(l, " \t")
		if strings.TrimSpace(next) == "" {
			continue
		}
		indent := len(l) - len(next)
		if depth <= 0 && indent <= in {
			return indent == in && !mayFollow.MatchString(strings.TrimSpace(next))
		}
		depth += strings.Count(l, "{") + strings.Count(l, "(") + strings.Count(l, "[") -
			strings.Count(l, "}") - strings.Count(l, ")") - strings.Count(l, "]")
	}
	return false
}

// The forms of tests.
var (
	assertion = regexp.MustCompile(`\bassert\w*\b|\bexpect\w*\s*\(|\.should\b|\bt\.(?:Error|Errorf|Fatal|Fatalf|Fail|FailNow)\(|\b(?:require|must|is)\.\w+\(|` +
		`\bverify\w*\(|\bfail\w*\(|\bpytest\.raises\b|\.to(?:Be|Equal|Match|Throw|Have|Contain|Strict)\w*|\.rejects\b|\.resolves\b|\bcmp\.Diff\(|` +
		`\bBDDAssertions\b|\bMatchers?\.\w+|\bstep\.check\b`)
	strictMatcher = regexp.MustCompile(`\.to(?:Be|Equal|StrictEqual|MatchObject|HaveLength|BeCloseTo|HaveBeenCalledWith|HaveBeenCalledTimes|Throw)\(|` +
		`\bassert(?:Equals?|_equal|Same|ArrayEquals|Is|DictEqual|ListEqual|Raises|Throws)\w*\s*\(|\bisEqualTo\(|\b(?:require|assert)\.(?:Equal|ErrorIs|Len)\w*\(|` +
		`===?|!==?|\bis\s+(?:not\s+)?(?:None|True|False)\b`)
	skip = regexp.MustCompile(`\bt\.Skip\w*\(|\btesting\.Short\(|\.(?:skip|todo|only|fixme|failing)\b|\bx(?:it|describe|test)\s*\(|\bf(?:it|describe)\s*\(|` +
		`@(?:Disabled|Ignore|Ignored|EnabledIf|DisabledOn|Timeout)\w*\b|\bpytest\.(?:skip|xfail|mark\.(?:skip|xfail)|importorskip)\w*|` +
		`\bunittest\.(?:skip|expectedFailure)\w*|@(?:skip|expectedFailure)\w*|\bskipTest\(|\bSkipTest\b|\bassume\w*\(|\bAssumptions\.`)
	trivial = regexp.MustCompile(`\bassert\w*\s*\(?\s*(?:t\s*,\s*)?(?:true|True|1\s*==\s*1|1)\s*\)?\s*;?\s*$|` +
		`\bexpect\s*\(\s*(?:true|false|1|0)\s*\)|\bor\s+True\b|\|\|\s*true\b`)
	handler = regexp.MustCompile(`\btry\b|\bexcept\b|\bcatch\b|\brecover\(`)
)

// isTest reports whether a file has tests.
func isTest(d *document) bool { return d.class == diff.ClassTest }

// weakens reports whether a test file tests less: an assertion or a test is gone, an assertion has changed in a file in which
// the fix only follows, a test is skipped, or an assertion says nothing.
func weakens(p pair) bool {
	if !isTest(p.before) && !isTest(p.after) {
		return false
	}
	times := func(re *regexp.Regexp, text string) int { return len(re.FindAllStringIndex(text, -1)) }
	for _, re := range []*regexp.Regexp{assertion, strictMatcher} {
		if times(re, p.after.bare) < times(re, p.before.bare) || p.loses(matching(re, p.before.bareLines()), matching(re, p.after.bareLines())) {
			return true
		}
	}
	for _, re := range []*regexp.Regexp{skip, trivial, handler} {
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

// altersAssertion reports whether an assertion of a test file is changed or gone.
func altersAssertion(p pair) bool {
	if !isTest(p.before) {
		return false
	}
	removed, added := p.sides()
	kept := map[string]int{}
	for _, l := range at(p.after.codeLines(), added) {
		kept[change.StripSpace(l)]++
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

// furtherSwitch matches what switches a check off and is not a comment of [check.WithoutNewSwitches].
var furtherSwitch = regexp.MustCompile(`@Suppress\w*|#pragma\s+warning\s+disable|#\[allow\(|\bistanbul ignore\b|\bc8 ignore\b|\bv8 ignore\b|pragma:\s*no\s*cover|` +
	`//go:build\s+ignore|\+build\s+ignore|coverage:ignore|\bcodeql\[|\blgtm\b|\bfmt:\s*off\b|prettier-ignore|@generated\b|DO NOT EDIT|noinspection|` +
	`ReSharper disable|deepcode ignore|snyk:ignore|bearer:disable|nosec`)

// switches reports whether the edit adds a comment or a mark that switches a check off.
func switches(p pair) bool {
	f := &diff.File{Path: p.after.path, Language: p.after.language, Hunks: p.hunks}
	if string(check.WithoutNewSwitches(f, p.after.raw)) != string(p.after.raw) {
		return true
	}
	return len(furtherSwitch.FindAllStringIndex(string(p.after.raw), -1)) > len(furtherSwitch.FindAllStringIndex(string(p.before.raw), -1))
}

// access are kinds of calls that give a program new powers. A fix may use one only if the file has its kind already.
var access = []*regexp.Regexp{
	regexp.MustCompile(`\bexec\.Command|\bos\.(?:system|popen|exec\w*|spawn\w*|StartProcess)\b|\bsubprocess\b|\bchild_process\b|\bRuntime\.getRuntime\b|` +
		`\bProcessBuilder\b|\bProcess\.Start\b|(?:^|[^.\w])(?:execSync|execFile|spawn|spawnSync|system|popen|shell_exec)\s*\(|\bpty\.spawn\b`),
	regexp.MustCompile(`(?:^|[^.\w])(?:eval|exec|compile)\s*\(|\bnew\s+Function\s*\(|\b__import__\b|\bimportlib\b|\bpickle\.loads?\b|\byaml\.(?:unsafe_)?load\b|` +
		`\bScriptEngine|\bClass\.forName\b|\bplugin\.Open\b|\bvm\.runIn|\bmarshal\.loads\b|\bunsafe\.|\bsyscall\.|\bctypes\b|\bObjectInputStream\b`),
	regexp.MustCompile(`\bnet\.(?:Dial|Listen)|\bhttp\.(?:Get|Post|Head|PostForm|NewRequest)|\brequests\.|\burllib\b|\bfetch\s*\(|\bXMLHttpRequest\b|\baxios\b|` +
		`\bHttpClient\b|\bHttpURLConnection\b|\bnew\s+(?:URL|Socket|WebSocket)\s*\(|\bsocket\.|\bsmtplib\b|\bsendBeacon\b|\bhttp\.client\b|\bgot\s*\(`),
	regexp.MustCompile(`InsecureSkipVerify|verify\s*=\s*False|rejectUnauthorized|NODE_TLS_REJECT|CERT_NONE|_create_unverified_context|ALLOW_ALL_HOSTNAME|` +
		`HostnameVerifier|TrustManager|\b0?o?0?777\b|NoopHostname|InsecureIgnoreHostKey|\bAutoAddPolicy\b|disable_warnings|` +
		`csrf_exempt|permitAll\(|AllowAny\b|anonymous\(\)|Access-Control-Allow-Origin`),
	regexp.MustCompile(`innerHTML|dangerouslySetInnerHTML|document\.write|insertAdjacentHTML|bypassSecurityTrust|mark_safe|template\.HTML\(|\|\s*safe\b|v-html`),
	regexp.MustCompile(`\b(?:os\.RemoveAll|shutil\.rmtree|rimraf|FileUtils\.deleteDirectory|fs\.rm\w*|os\.Remove|os\.unlink|unlinkSync)\b|(?i:\b(?:drop|truncate)\s+table\b)`),
}

// address matches the host of an address.
var address = regexp.MustCompile(`(?i)\b[a-z][a-z0-9+.-]{1,20}://([^\s/"'` + "`" + `)<>]+)`)

// accesses reports whether the edit adds a call of a kind, or an address, that the file did not have.
func accesses(p pair) bool {
	_, added := p.sides()
	fresh := strings.Join(at(p.after.codeLines(), added), "\n")
	for _, re := range access {
		if re.MatchString(fresh) && !re.MatchString(p.before.code) {
			return true
		}
	}
	hosts := map[string]bool{}
	for _, m := range address.FindAllStringSubmatch(string(p.before.raw), -1) {
		hosts[strings.ToLower(m[1])] = true
	}
	for _, m := range address.FindAllStringSubmatch(strings.Join(at(p.after.lines, added), "\n"), -1) {
		if !hosts[strings.ToLower(m[1])] {
			return true
		}
	}
	return false
}

// unrelated returns the path of an edit that has nothing to do with the finding, or "". An edit is related if it stands in the
// finding's definition, in one that the finding cites, or around these, or if it uses a name that a related edit or the
// finding's definition brings.
func unrelated(f domain.Finding, pairs []pair) (path string) {
	cited := map[string][]int{f.Anchor.Path: {f.Anchor.StartLine, f.Anchor.EndLine}}
	for _, e := range f.Evidence {
		if e.Path != "" {
			cited[e.Path] = append(cited[e.Path], e.Start, e.End)
		}
	}
	names := map[string]bool{}
	if base := f.Anchor.Symbol[strings.LastIndexByte(f.Anchor.Symbol, '.')+1:]; len(base) > 2 {
		names[base] = true
	}
	type place struct {
		path  string
		words []string
	}
	var open []place
	for _, p := range pairs {
		outline := structure.Read(p.before.language, p.before.raw)
		homes := map[string]bool{}
		for _, line := range cited[p.before.path] {
			if s, ok := outline.Enclosing(line); ok {
				homes[s.Name] = true
				names[s.Base()] = names[s.Base()] || len(s.Base()) > 2
			}
		}
		for _, run := range p.stretches() {
			removed, added := at(p.before.bareLines(), run.removed), at(p.after.bareLines(), run.added)
			s, inside := outline.Enclosing(run.at)
			outer := !inside || slices.ContainsFunc(slices.Collect(maps.Keys(homes)), func(home string) bool {
				return strings.HasPrefix(home, s.Name+".")
			})
			if _, ok := cited[p.before.path]; ok && (outer || homes[s.Name] || len(homes) == 0) {
				if outer { // a declaration: its users follow
					removed = nil
				}
				for _, w := range freshWords(removed, added) {
					names[w] = true
				}
				continue
			}
			open = append(open, place{p.before.path, change.Words(strings.Join(slices.Concat(removed, added), "\n"))})
		}
	}
	for again := true; again; {
		again = false
		open = slices.DeleteFunc(open, func(o place) bool {
			return slices.ContainsFunc(o.words, func(w string) bool { return names[w] })
		})
	}
	if len(open) > 0 {
		return open[0].path
	}
	return ""
}

// firstOld returns the number of the first removed line of a hunk, or of the line before the first added one.
func firstOld(h *diff.Hunk) int {
	last := h.OldStart
	for _, l := range h.Lines {
		switch l.Op {
		case diff.Delete:
			return l.Old
		case diff.Add:
			return last
		}
		last = l.Old
	}
	return last
}

// freshWords returns the identifiers of four letters or more that added lines have and removed ones do not.
func freshWords(removed, added []string) []string {
	had := map[string]bool{}
	for _, w := range change.Words(strings.Join(removed, "\n")) {
		had[w] = true
	}
	out := map[string]bool{}
	for _, w := range change.Words(strings.Join(added, "\n")) {
		if len(w) >= 4 && !had[w] && !common[w] {
			out[w] = true
		}
	}
	return slices.Sorted(maps.Keys(out))
}

// common are words of languages that relate nothing.
var common = wordSet(`return const function string number boolean null true false None True False else elif throw throws raise self this class
	public private static final void interface import from type struct func range continue break while switch case default error Error
	Exception catch except finally with async await export extends implements package List String Integer Map Optional Object float bool`)

func wordSet(words string) map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		out[w] = true
	}
	return out
}
