package check

import (
	"encoding/base64"
	"net"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// Rules of our own beside those of gitleaks. They know a value by its position in the syntax of the file.
const (
	passwordRule      = "password"
	addressRule       = "password-in-address"
	authorizationRule = "authorization-header"
)

func isOurs(rule string) bool {
	return rule == passwordRule || rule == addressRule || rule == authorizationRule
}

// maxWindow bounds what one place is judged by: its line, and those behind it.
const (
	maxWindow      = 2 << 10
	maxWindowLines = 4
)

// syntax says where a file has values that no quote marks.
type syntax struct {
	bare   bool // KEY=value, behind white space as well
	colons bool // key: value
	spaces bool // key value
	markup bool // <key>value</key>
}

var syntaxes = map[string]syntax{
	".env": {bare: true}, ".envrc": {bare: true}, ".properties": {bare: true, colons: true}, ".ini": {bare: true, colons: true},
	".cfg": {bare: true, colons: true, spaces: true}, ".conf": {bare: true, colons: true, spaces: true}, ".cnf": {bare: true, spaces: true},
	".yml": {bare: true, colons: true}, ".yaml": {bare: true, colons: true}, ".toml": {bare: true}, ".tfvars": {},
	".sh": {bare: true}, ".bash": {bare: true}, ".zsh": {bare: true}, ".fish": {bare: true, spaces: true}, ".bat": {bare: true},
	".cmd":     {bare: true},
	".service": {bare: true}, ".container": {bare: true}, ".dockerfile": {bare: true, spaces: true}, ".mk": {bare: true},
	".md": {bare: true}, ".rst": {bare: true},
	".xml": {markup: true}, ".config": {markup: true}, ".pom": {markup: true}, ".csproj": {markup: true}, ".props": {markup: true},
	".targets": {markup: true}, ".plist": {markup: true}, ".xhtml": {markup: true}, ".wsdl": {markup: true}, ".ism": {markup: true},
}

var (
	dockerFile = regexp.MustCompile(`(?i)^(?:dockerfile|containerfile)\b`)
	bareFile   = regexp.MustCompile(`(?i)^(?:makefile|gnumakefile|justfile|procfile|jenkinsfile|vagrantfile|credentials|\.(?:npmrc|pypirc|yarnrc|curlrc|wgetrc|s3cfg|` +
		`boto|bashrc|zshrc|profile|bash_profile|my\.cnf|htaccess)|\.?env(?:\..+)?|.+\.env(?:\..+)?)$`)
)

func syntaxOf(file string) syntax {
	base := strings.ToLower(path.Base(file))
	switch {
	case dockerFile.MatchString(base):
		return syntax{bare: true, spaces: true}
	case bareFile.MatchString(base):
		return syntax{bare: true, colons: strings.HasPrefix(base, ".pypirc")}
	}
	return syntaxes[path.Ext(base)]
}

// Forms of values. A quoted one has no white space, because sentences beside such a name are texts for people.
const (
	quotedForm = `(?:"([^"\s]{8,})"|'([^'\s]{8,})'|\x60([^\x60\s]{8,})\x60)`
	bareForm   = `(?:"([^"\s]{8,})"|'([^'\s]{8,})'|([^\s"'\x60,;]{8,}))`
	keyForm    = `([\w.-]{2,})`
)

// position finds values beside names: the first group is the name, the others are forms of
// the value.
type position struct {
	form *regexp.Regexp
	when func(syntax) bool // nil: always
	over bool              // it goes over several lines
	has  []string          // the text has one of these, in small letters; none: it is not asked
}

var positions = []position{
	// "key": "value", key = 'value', setKey("value"), put("key", "value")
	{form: regexp.MustCompile(keyForm + `["'\]\x60]{0,2}[ \t]*(?:=>|:=|==?|\?=|[:,(])[ \t]*[@$bru]{0,2}` + quotedForm)},
	{form: regexp.MustCompile(`(?:^|[\s"'{(;,])(?:-D|--?|\$env:)?` + keyForm + `=` + bareForm), when: func(s syntax) bool { return s.bare }},
	{form: regexp.MustCompile(`^[ \t]*(?:(?:export|set|ARG|ENV)[ \t]+)?` + keyForm + `[ \t]*[:?+]?=[ \t]*` + bareForm), when: func(s syntax) bool { return s.bare }},
	{form: regexp.MustCompile(`^[ \t]*(?:-[ \t]+)?["']?` + keyForm + `["']?[ \t]*:[ \t]+` + bareForm), when: func(s syntax) bool { return s.colons }},
	{form: regexp.MustCompile(`^[ \t]*(?:(?:ENV|ARG|set[ \t]+-\w+)[ \t]+)?` + keyForm + `[ \t]+` + bareForm + `[ \t;]*$`), when: func(s syntax) bool { return s.spaces }},
	{form: regexp.MustCompile(`[ \t"'\[]--` + keyForm + `(?:[ \t]+|["'], *)` + bareForm), has: []string{"--"}},
	// parts of connection strings and of queries
	{form: regexp.MustCompile(`["';][ \t]*([A-Za-z][\w .]+)[ \t]*=[ \t]*()([^\s;"'<>\\(){}\[\],=]{8,}={0,2})(?:[;"'\s\\<]|$)`)},
	{form: regexp.MustCompile(`[&?]([A-Za-z][\w.]+)=()([^\s;&"'<>\\(){}\[\],=]{8,}={0,2})(?:[;&"'\s\\<#]|$)`), has: []string{"?", "&"}},
	// <key>value</key>, <entry name="key">value</entry>, <key>name</key><string>value</string>
	{form: regexp.MustCompile(`<(?:[\w-]+:)?` + keyForm + `(?:\s[^<>]*)?>\s*([^<>\s]{8,})\s*</`), when: func(s syntax) bool { return s.markup }, over: true, has: []string{"</"}},
	{form: regexp.MustCompile(`(?:name|key|id)\s*=\s*["']` + keyForm + `["'][^<>]*>\s*([^<>\s]{8,})\s*</`), over: true, has: []string{"</"}},
	{form: regexp.MustCompile(`<key>` + keyForm + `</key>\s*<string>([^<>\s]{8,})</string>`), over: true, has: []string{"<key>"}},
	// name and value as a pair
	{form: regexp.MustCompile(`(?i)\b(?:name|key|parameterkey|variable)["']?\s*[:=]\s*["']?` + keyForm + `["']?\s*[,;]?\s*["']?(?:value|parametervalue|default)["']?\s*[:=]\s*` + bareForm), over: true, has: []string{"value", "default"}},
	{form: regexp.MustCompile(`(?i)["']?` + keyForm + `["']?\s*[:=]?\s*\{\s*(?:["']?(?:type|description)["']?\s*[:=]\s*\S+\s+)?["']?(?:value|default)["']?\s*[:=]\s*` + quotedForm), over: true, has: []string{"value", "default"}},
	{form: regexp.MustCompile(`(?i)\bmachine\s+\S+\s+login\s+\S+\s+(password)\s+([^\s"'\x60]{8,})`), over: true, has: []string{"machine"}},
	// commands that take a password as an option without its name
	{form: regexp.MustCompile(`\b(sshpass)\s+-p\s*` + bareForm), has: []string{"sshpass"}},
	{form: regexp.MustCompile(`\b(mysql|mysqldump|mysqladmin|mariadb|mariadb-dump)\b[^|;\n]*\s-p` + bareForm), has: []string{"mysql", "mariadb"}},
	{form: regexp.MustCompile(`\b(docker|podman|helm|buildah|skopeo|nerdctl|oc|cf)\s[^|;\n]*\blogin\b[^|;\n]*\s-p[ =]?` + bareForm), has: []string{"login"}},
}

// commands are names of positions whose value is a password whatever they are called.
var commands = strings.Fields("sshpass mysql mysqldump mysqladmin mariadb mariadb-dump docker podman helm buildah skopeo nerdctl oc cf")

var (
	addressForm = regexp.MustCompile(`\b([a-zA-Z][a-zA-Z0-9+.-]+)://([^\s:/@'"<>\x60?#]*):([^\s/@'"<>\x60]+)@([^\s/'"<>\x60,?#\\)]+)`)
	driverForm  = regexp.MustCompile(`\b([\w.-]+):([^\s/@:'"<>\x60]+)@(?:tcp|unix)\(([^)\s]+)\)`)
	headerForm  = regexp.MustCompile(`(?i)\bauthorization["'\x60\]]{0,2}(?:\s*,\s*["']?value["']?)?\s*(?::|=>?|,|\s)\s*[fb]?["'\x60(\[{]*\s*(bearer|basic|token|bot|apikey)[ \t]+([A-Za-z0-9._~+/=-]{8,})`)
	passFile    = regexp.MustCompile(`^(?:[^:\s]+):(?:\d{1,5}|\*):[^:\s]+:[^:\s]+:(\S{8,})\s*$`)
	passLine    = regexp.MustCompile(`["']?(?:[\w.*-]+):(?:\d{1,5}|\*):[\w*-]+:[\w*-]+:([^\s"']{8,})["']?\s*>{1,2}\s*\S*pgpass`)
)

// keyedWords are parts of lines that may have a secret of [keyed], in small letters.
var keyedWords = strings.Fields("pass pwd psw pw= kennwort senha secret token key auth :// machine mysql mariadb login @tcp( @unix(")

// keyed finds secrets by their position in the syntax of a file.
func keyed(file, text string) (out []Secret) {
	s := syntaxOf(file)
	isPassFile := slices.Contains([]string{".pgpass", "pgpass.conf"}, strings.ToLower(path.Base(file)))
	line := 0
	for start := 0; start < len(text); line++ {
		end := len(text)
		if i := strings.IndexByte(text[start:], '\n'); i >= 0 {
			end = start + i
		}
		one := text[start:end]
		lower := strings.ToLower(one)
		if isPassFile || slices.ContainsFunc(keyedWords, func(w string) bool { return strings.Contains(lower, w) }) {
			f := keyedLine{syntax: s, text: text, start: start, end: end, line: line + 1}
			f.addresses()
			f.headers()
			f.positions()
			for _, form := range []*regexp.Regexp{passFile, passLine} {
				if !isPassFile && !strings.Contains(lower, "pgpass") {
					continue
				}
				if m := form.FindStringSubmatchIndex(one); m != nil && (isPassFile || form == passLine) {
					f.add(passwordRule, passwordRule, m[2], m[3], strength(passwordNoun, one[m[2]:m[3]]))
				}
			}
			out = append(out, f.found...)
		}
		start = end + 1
	}
	return out
}

// keyedLine is a line in which [keyed] looks.
type keyedLine struct {
	syntax
	text       string
	start, end int
	line       int
	found      []Secret
}

// add keeps a value, given by its place behind the beginning of the line.
func (l *keyedLine) add(rule, key string, from, to int, g grade) {
	if g == isPublic {
		return
	}
	value := l.text[l.start+from : l.start+to]
	first := l.line + strings.Count(l.text[l.start:l.start+from], "\n")
	l.found = append(l.found, Secret{
		RuleID: rule, First: first, Last: first, Start: l.start + from, End: l.start + to, value: value, key: key, own: g,
	})
}

func (l *keyedLine) positions() {
	one := l.text[l.start:l.end]
	window := one
	for n, end := 1, l.end; n < maxWindowLines && end < len(l.text) && end-l.start < maxWindow; n++ {
		next := strings.IndexByte(l.text[end+1:], '\n')
		if next < 0 {
			next = len(l.text) - end - 1
		}
		end = min(end+1+next, l.start+max(maxWindow, len(one)))
		window = l.text[l.start:end]
	}
	lower := strings.ToLower(window)
	if !strings.Contains(lower, "login") && !slices.ContainsFunc(commands, func(c string) bool { return strings.Contains(lower, c) }) && !hasNoun(one) {
		return
	}
	for _, p := range positions {
		in, small := one, lower[:min(len(one), len(lower))]
		if p.over {
			in, small = window, lower
		}
		if p.when != nil && !p.when(l.syntax) ||
			len(p.has) > 0 && !slices.ContainsFunc(p.has, func(w string) bool { return strings.Contains(small, w) }) {
			continue
		}
		for at := 0; at < len(in); {
			m := p.form.FindStringSubmatchIndex(in[at:])
			if m == nil || at+m[0] > len(one) || at > 0 && strings.HasPrefix(p.form.String(), "^") {
				break
			}
			key := in[at+m[2] : at+m[3]]
			kind := nounOf(key)
			if slices.Contains(commands, key) {
				kind = passwordNoun
			}
			next := at + m[3] // a value may be the name of the next one
			if kind != noNoun {
				for g := 4; g+1 < len(m); g += 2 {
					if m[g] >= 0 && m[g+1] > m[g] {
						l.add(passwordRule, key, at+m[g], at+m[g+1], strength(kind, in[at+m[g]:at+m[g+1]]))
						next = at + m[g+1]
					}
				}
			}
			at = max(next, at+1)
		}
	}
}

// hasNoun reports whether a text has the name of a secret.
func hasNoun(text string) bool {
	for name := range strings.FieldsFuncSeq(text, func(r rune) bool {
		return r != '_' && r != '-' && r != '.' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}) {
		if len(name) > 1 && nounOf(name) != noNoun || strings.Contains(name, "--") {
			return true
		}
	}
	return false
}

// addresses finds passwords of addresses.
func (l *keyedLine) addresses() {
	one := l.text[l.start:l.end]
	if !strings.Contains(one, "@") {
		return
	}
	for _, m := range addressForm.FindAllStringSubmatchIndex(one, -1) {
		l.add(addressRule, passwordRule, m[6], m[7], ofAddress(one[m[4]:m[5]], one[m[6]:m[7]], one[m[8]:m[9]]))
	}
	for _, m := range driverForm.FindAllStringSubmatchIndex(one, -1) {
		l.add(addressRule, passwordRule, m[4], m[5], ofAddress(one[m[2]:m[3]], one[m[4]:m[5]], one[m[6]:m[7]]))
	}
}

// headers finds what a request is authorized with.
func (l *keyedLine) headers() {
	one := l.text[l.start:l.end]
	if !strings.Contains(strings.ToLower(one), "authorization") {
		return
	}
	for _, m := range headerForm.FindAllStringSubmatchIndex(one, -1) {
		value := one[m[4]:m[5]]
		g := isPublic
		if strings.EqualFold(one[m[2]:m[3]], "basic") {
			raw, err := base64.StdEncoding.DecodeString(value)
			if user, pass, is := strings.Cut(string(raw), ":"); err == nil && is {
				g = ofAddress(user, pass, "")
			}
		} else if g = strength(tokenNoun, value[:min(len(value), maxSecret)]); isSecretName("", value) {
			g = isPublic
		}
		l.add(authorizationRule, "authorization", m[4], m[5], g)
	}
}

// localHosts are names that only one machine or a document knows (RFC 2606, RFC 6761).
var localHosts = regexp.MustCompile(`(?i)(?:^|\.)(?:localhost|local|localdomain|test|invalid|example|example\.(?:com|org|net|edu)|` +
	`domain\.(?:com|tld)|host\.docker\.internal|(?:my|your)?-?(?:host|server|company|domain)(?:name)?(?:\.\w+)?)$`)

// ofAddress grades the password of a user at a host. Whatever stands there and is not of an
// example is said.
func ofAddress(user, pass, host string) grade {
	const shortest = 6
	if len(pass) < shortest || isPlaceholder(pass) || strings.Contains(pass, "%s") || strings.EqualFold(pass, user) || letters(pass) == letters(user) {
		return isPublic
	}
	name := host
	if h, _, err := net.SplitHostPort(host); err == nil {
		name = h
	}
	ip := net.ParseIP(strings.Trim(name, "[]"))
	isLocal := localHosts.MatchString(name) || ip != nil && (ip.IsLoopback() || ip.IsUnspecified())
	g := strength(passwordNoun, pass)
	switch {
	case isLocal && g == certain:
		return doubtful
	case isLocal, g == isPublic && (readsAsWords(pass) || !strings.Contains(name, ".")):
		return isPublic
	case g == certain, strength(tokenNoun, pass) == certain:
		return certain
	}
	return doubtful
}
