package fix

import (
	"strings"
	"unicode"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/regexp"
	"github.com/assay-dev/assay/internal/review/check"
)

// furtherSwitch matches marks in code and comments that switch a check off and are not comments of [check.WithoutNewSwitches].
var furtherSwitch = regexp.MustCompile(`@Suppress\w*|#pragma\s+warning\s+disable|#!?\[allow\(|\b(?:istanbul|c8|` +
	`v8) ignore\b|pragma:\s*no\s*cover|` +
	`//go:build\s+ignore|\+build\s+ignore|\bcodeql\[|\blgtm\b|\bfmt:\s*o(?:ff|n)\b|@generated\b|DO NOT EDIT|ReSharper disable`)

// directive matches a comment of a tool that switches it off, as far as all of them look alike.
var directive = regexp.MustCompile(`(?i)\bno[-_]?(?:lint|qa|sec|sem|semgrep|sonar|inspection|check|cover|coverage)\b|` +
	`[\w@.-]+[:=]\s*(?:ignore|disabled?|skip|skip-file|off|noqa|allow|suppress)\b|[\w@]-(?:ignore|disable|suppress|nocheck|` +
	`expect-error)\b|` +
	`/\*\s*eslint\s|\b(?:pylint|mypy|pyright|flake8|ruff|jshint|jslint|tslint|eslint|rubocop|phpcs)\s*:|\b(?:deepcode|snyk|` +
	`semgrep) ignore\b`)

// comments returns the comments among some lines of a document.
func (d *document) comments(numbers []int) string {
	var out []string
	code := at(d.codeLines(), numbers)
	for i, line := range at(d.lines, numbers) {
		b := []byte(line)
		for k := range min(len(b), len(code[i])) {
			if b[k] == code[i][k] {
				b[k] = ' '
			}
		}
		out = append(out, string(b))
	}
	return strings.Join(out, "\n")
}

// switches reports whether the edit adds a comment or a mark that switches a check off.
func switches(p pair) bool {
	f := &diff.File{Path: p.after.path, Language: p.after.language, Hunks: p.hunks}
	if string(check.WithoutNewSwitches(f, p.after.raw)) != string(p.after.raw) {
		return true
	}
	removed, added := p.sides()
	times := func(re *regexp.Regexp, text string) int { return len(re.FindAllStringIndex(text, -1)) }
	return times(furtherSwitch, string(p.after.raw)) > times(furtherSwitch, string(p.before.raw)) ||
		times(directive, p.after.comments(added)) > times(directive, p.before.comments(removed))
}

// access are kinds of calls that give a program new powers. A fix may use one only if the file has its kind already.
var access = []*regexp.Regexp{
	// other programs
	regexp.MustCompile(`\bexec\.Command|\bos\.(?:system|popen|exec\w*|spawn\w*|StartProcess)\b|\bsubprocess\b|\bchild_process\b|` +
		`\bRuntime\.getRuntime\b|\bProcessBuilder\b|\bProcess\.Start\b|\bpty\.spawn\b|` +
		`(?:^|[^.\w])(?:execSync|execFile|spawn|spawnSync|system|popen|shell_exec)\s*\(`),
	// code from data
	regexp.MustCompile(`(?:^|[^.\w])(?:eval|exec|compile)\s*\(|\bnew\s+Function\s*\(|\b__import__\b|\bimportlib\b|\bpickle\.loads?\b|` +
		`\byaml\.(?:unsafe_)?load\b|\bScriptEngine|\bClass\.forName\b|\bplugin\.Open\b|\bvm\.runIn|\bmarshal\.loads\b|\bunsafe\.|` +
		`\bsyscall\.|\bctypes\b|\bObjectInputStream\b|\bglobalThis\[|\bsetattr\(|\bReflect\.`),
	// the network
	regexp.MustCompile(`\bnet\.(?:Dial|Listen)|\bhttp\.(?:Get|Post|Head|PostForm|NewRequest)|\brequests\.|\burllib\b|\bfetch\s*\(|` +
		`\bXMLHttpRequest\b|\baxios\b|\bHttpClient\b|\bHttpURLConnection\b|\bnew\s+(?:URL|Socket|WebSocket)\s*\(|\bsocket\.|` +
		`\bsmtplib\b|\bsendBeacon\b|\bhttp\.client\b|\bgot\s*\(|\bhttpx\b|\bURL\s*\(`),
	// weaker protection
	regexp.MustCompile(`InsecureSkipVerify|verify\s*=\s*False|rejectUnauthorized|NODE_TLS_REJECT|CERT_NONE|_create_unverified_context|` +
		`ALLOW_ALL_HOSTNAME|HostnameVerifier|TrustManager|\b0?o?0?777\b|NoopHostname|InsecureIgnoreHostKey|\bAutoAddPolicy\b|` +
		`disable_warnings|csrf_exempt|csrf\(\)\.disable|permitAll\(|AllowAny\b|anonymous\(\)|Access-Control-Allow-Origin|` +
		`\bsetAccessible\(`),
	// texts as pages
	regexp.MustCompile(`innerHTML|dangerouslySetInnerHTML|document\.write|insertAdjacentHTML|bypassSecurityTrust|mark_safe|` +
		`template\.HTML\(|` +
		`\|\s*safe\b|v-html`),
	// removal of files and tables
	regexp.MustCompile(`\b(?:os\.RemoveAll|shutil\.rmtree|rimraf|FileUtils\.deleteDirectory|fs\.rm\w*|os\.Remove|os\.remove|` +
		`os\.unlink|unlinkSync)\b|` +
		`\bFiles\.delete\w*\(|(?i:\b(?:drop|truncate)\s+table\b)`),
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

// anyWord matches a name in the letters of any alphabet.
var anyWord = regexp.MustCompile(`[\pL_$][\pL\pN_$]*`)

// looksAlike reports whether a new line has a name that mixes alphabets, or a blank that is not a space, which the file did not have.
func looksAlike(p pair) bool {
	_, added := p.sides()
	for _, line := range at(p.after.bareLines(), added) {
		if strings.IndexFunc(line, func(c rune) bool { return c > unicode.MaxASCII && unicode.IsSpace(c) }) >= 0 {
			return true
		}
		for _, w := range anyWord.FindAllString(line, -1) {
			latin := strings.IndexFunc(w, func(c rune) bool { return unicode.Is(unicode.Latin, c) }) >= 0
			other := strings.IndexFunc(w, func(c rune) bool { return unicode.IsLetter(c) && !unicode.Is(unicode.Latin, c) }) >= 0
			if latin && other && !strings.Contains(p.before.bare, w) {
				return true
			}
		}
	}
	return false
}
