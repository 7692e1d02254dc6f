package structure

import (
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/regexp"
)

// scope is the kind of code around a declaration.
type scope int

// The scopes.
const (
	inModule scope = 1 << iota
	inType
	inEnum
	inObject // the properties of an object
	inFunction

	anywhere = inModule | inType | inEnum | inObject | inFunction
)

// valueForm is the code before and after the name of a constant, a variable or a field where its declaration
// begins.
type valueForm struct {
	scope         scope
	before, after *regexp.Regexp
	member        bool // known only by the value or type before a dot
}

func form(in scope, before, after string) valueForm {
	return valueForm{scope: in, before: regexp.MustCompile(before), after: regexp.MustCompile(after)}
}

func memberForm(in scope, before, after string) valueForm {
	f := form(in, before, after)
	f.member = true
	return f
}

// Parts of forms.
const (
	assigned = `^\s*(?::[^=]+)?(?:=[^=>~]|=$)`
	notes    = `^\s*(?:@[\w.]+(?:\([^)]*\))?\s+|\[[^\]]*\]\s*)*`
	typeWord = `(?:[\w.$?:]+(?:<[^()=;]*>)?(?:\[[\s,]*\])*[?*&]*\s+[*&]*)`
	earlier  = `(?:\w+\s*(?:=\s*[^,;()]*)?,\s*[*&]*)*$`
	elements = `(?:\w+(?:\([^)]*\))?\s*,\s*)*$`
	visible  = `(?:pub(?:\([^)]*\))?\s+)?`
)

// The forms of languages.
var (
	pythonValues = []valueForm{
		form(inModule, `^\s*(?:[\w.]+\s*,\s*)*$`, `^\s*(?:,[\w\s,]*)?(?:=[^=]|=$)|^\s*:\s*[^\s=]`),
		memberForm(inType, `^\s*(?:[\w.]+\s*,\s*)*$`, `^\s*(?:,[\w\s,]*)?(?:=[^=]|=$)|^\s*:\s*[^\s=]`),
		memberForm(inFunction, `^\s*(?:self|cls)\.$`, assigned),
	}
	scriptValues = []valueForm{
		form(inModule, `^\s*(?:export\s+)?(?:default\s+)?(?:declare\s+)?(?:const|let|var)\s+(?:[\w$]+(?:\s*=\s*[^,]*)?,\s*)*$`,
			`^\s*!?\s*(?::|=[^=>]|=$|;|,|$)`),
		form(inModule, `^\s*(?:export\s+)?(?:const|let|var)\s*[{\[][^=]*$`, `^[^=]*[}\]]\s*=`),
		form(inModule, `^\s*(?:module\.)?exports\.$`, `^\s*=[^=]`),
		memberForm(inModule, `^\s*[A-Z][\w$]*(?:\.prototype)?\.$`, `^\s*=[^=]`),
		memberForm(inType, `^\s*(?:@[\w.]+(?:\([^)]*\))?\s+)*(?:(?:public|private|protected|readonly|static|declare|override|abstract|`+
			`accessor|get|set|async)\s+)*\*?#?$`, `^\s*[?!]?\s*(?::|=[^=>]|=$|;|,|\(|<|$)`),
		memberForm(inEnum, `^\s*$`, `^\s*(?:=|,|$)`),
		memberForm(inObject, `^\s*(?:(?:async|get|set)\s+)*\*?$`, `^\s*(?::|,|\(|$)`),
		memberForm(inFunction|inType, `^\s*this\.#?$`, assigned),
		memberForm(inFunction|inType, `(?:[(,]|^)\s*(?:(?:public|private|protected|readonly)\s+)+$`, `^\s*\??\s*:`),
	}
	typedValues = []valueForm{
		form(inModule, notes+typeWord+`+`+earlier, `^\s*(?:\[[^\]]*\]\s*)*(?:=[^=]|=$|;|,)`),
		memberForm(inType|inEnum, notes+typeWord+`+`+earlier, `^\s*(?:\[[^\]]*\]\s*)*(?:=[^=]|=$|;|,|\{|\(|:\s*\d|$)`),
		memberForm(inEnum, notes+elements, `^\s*(?:,|;|\(|=|\{|$)`),
		memberForm(inModule|inType, `\brecord\b.*[(,]\s*`+typeWord+`$`, `^\s*[,)]`),
		memberForm(inFunction, `^\s*this\s*(?:\.|->)\s*$`, assigned),
	}
	cValues = append([]valueForm{
		form(anywhere, `^\s*typedef\b.*\(\s*\*\s*$`, `^\s*\)`),
		form(inModule, `^\s*\}\s*(?:\w+\s*,\s*)*\*?$`, `^\s*[,;]`),
	}, typedValues...)
	lettingValues = []valueForm{ // Kotlin, Swift and Scala
		form(inModule|inType, `^[^="(]*\b(?:val|var|let|typealias)\s+(?:<[^>]*>\s*)?(?:[\w?<>]+\.)?$`, `^\s*(?::|=|,|\{|by\b|$)`),
		memberForm(anywhere, `\b(?:class|struct)\s+\w+.*[(,]\s*(?:[\w@]+\s+)*(?:val|var)\s+$`, `^\s*:`),
		memberForm(inType, `^\s*(?:(?:private|public|protected|internal|override|final|lateinit)\s+)*(?:val|var)\s+$`, `^\s*(?::|=|,|$)`),
		memberForm(inEnum, `^\s*(?:indirect\s+)?(?:case\s+)?`+elements, `^\s*(?:,|;|\(|=|\{|$)`),
	}
	rustValues = []valueForm{
		form(anywhere, `^\s*`+visible+`(?:const|static)\s+(?:mut\s+|ref\s+)?$`, `^\s*:`),
		memberForm(inType, `^\s*`+visible+`$`, `^\s*:[^:]`),
		memberForm(inEnum, `^\s*$`, `^\s*(?:,|\(|\{|=|$)`),
	}
	phpValues = []valueForm{
		form(anywhere, `^\s*(?:(?:final|public|private|protected)\s+)*const\s+(?:[?\w\\|]+\s+)?$`, `^\s*=`),
		form(inModule, `^\s*\$?$`, `^\s*=[^=>]`),
		memberForm(inType, `^\s*(?:(?:public|private|protected|static|readonly|var|final|abstract)\s+)+(?:[?\w\\|&]+\s+)?\$?$`,
			`^\s*(?:=|;|,|\{|$)`),
		memberForm(inType|inEnum, `^\s*case\s+$`, `^\s*(?:=|;)`),
		memberForm(anywhere, `(?:public|private|protected|readonly)\s+(?:[?\w\\|]+\s+)?\$?$`, `^\s*(?:,|\)|=|$)`),
		memberForm(inFunction, `^\s*\$this->$`, `^\s*=[^=]`),
	}
	rubyValues = []valueForm{
		form(inModule|inType, `^\s*(?:[\w:]+::)?$`, `^\s*(?:\|\|)?=[^=~>]`),
		memberForm(inModule|inType, `^\s*(?:attr_reader|attr_writer|attr_accessor|attribute|alias_method|define_method|delegate|scope|has_many|`+
			`has_one|belongs_to|enum|let!?|property|field)\b.*:$`, `^`),
		memberForm(inModule|inType, `^\s*alias\s+:?$`, `^\s`),
		memberForm(inFunction|inType, `^\s*@@?$`, `^\s*(?:\|\|)?=[^=~]`),
	}
	shellValues = []valueForm{
		form(anywhere, `^\s*(?:(?:export|readonly|declare|typeset)\s+(?:-\w+\s+)*)?$`, `^=`),
	}
	otherValues = []valueForm{
		form(inModule|inType, `^\s*(?:[\w()]+\s+)*(?:const|let|var|val|static|final|local)\s+(?:mut\s+)?$`, `^\s*(?::|=|;|,|$)`),
		memberForm(inModule|inType, `^\s*[A-Za-z_]\w*\.$`, `^\s*=[^=]`),
		memberForm(inModule|inType, `^\s*@$`, `^\s+\S`),
	}
)

// valuesOf are the forms by language; the others have otherValues.
var valuesOf = map[string][]valueForm{"Python": pythonValues, "Ruby": rubyValues, "PHP": phpValues, "Rust": rustValues, "C": cValues,
	"C++": cValues, "Objective-C": cValues, "Java": typedValues, "C#": typedValues, "Dart": typedValues, "Groovy": typedValues,
	"Kotlin": lettingValues, "Swift": lettingValues, "Scala": lettingValues, "Bash": shellValues, "Shell": shellValues}

func valueForms(language string) []valueForm {
	if f, known := valuesOf[language]; known {
		return f
	}
	if IsScript(language) {
		return scriptValues
	}
	return otherValues
}

// notTypes are words that do not begin the declaration of a value.
var notTypes = map[string]bool{"import": true, "package": true, "namespace": true, "goto": true, "friend": true, "break": true,
	"continue": true, "export": true, "from": true, "include": true, "require": true, "typeof": true, "public:": true, "echo": true}

// constantName matches the names of constants.
var constantName = regexp.MustCompile(`^[A-Z][A-Z0-9_]+$`)

// value returns the constant, variable or field whose declaration begins in a line under a name. Members are
// known only by their owner.
func (b *blocks) value(at int, name string) (s Symbol, member, ok bool) {
	if b.kinds[at] == directive {
		if m := macro.FindStringSubmatch(b.lines[at]); m != nil && m[1] == name {
			return Symbol{name, at + 1, b.macroEnd(at)}, false, true
		}
		return Symbol{}, false, false
	}
	code := b.code[at]
	if b.kinds[at] != codeLine || len(code) > maxDefinition {
		return Symbol{}, false, false
	}
	if m := defineCall.FindStringSubmatch(b.lines[at]); m != nil && b.language == "PHP" && m[1] == name {
		return Symbol{name, at + 1, b.end(at + 1)}, false, true
	}
	in, owner := scope(0), ""
	for _, f := range formsIn(b.language, code, name) {
		if in == 0 {
			in, owner = b.scope(at)
		}
		if f.scope&in != 0 {
			return b.valueSymbol(at, owner, name), f.member && !(constantName.MatchString(name) && in == inType), true
		}
	}
	return Symbol{}, false, false
}

// formsIn returns the forms in which a line may declare a name; nil if the name is empty.
func formsIn(language, code, name string) (out []valueForm) {
	for from := 0; name != "" && from < len(code); {
		i := strings.Index(code[from:], name)
		if i < 0 {
			break
		}
		i += from
		from = i + len(name)
		if i > 0 && wordByte(code[i-1]) && code[i-1] != '$' || from < len(code) && wordByte(code[from]) {
			continue
		}
		before, after := code[:i], code[from:]
		if words := strings.Fields(before); len(words) > 0 && (notNames[words[0]] && words[0] != "case" || notTypes[words[0]]) &&
			!(words[0] == "export" && IsScript(language)) {
			continue
		}
		for _, f := range valueForms(language) {
			if f.before.MatchString(before) && f.after.MatchString(after) {
				out = append(out, f)
			}
		}
	}
	return out
}

// MayDeclare reports whether a line, without regard to those around it, may be the first one of the definition
// of a name.
func MayDeclare(language, line, name string) bool {
	if language == "Go" {
		m := goGrouped.FindStringSubmatch(line)
		return goTop.MatchString(line) && slices.Contains(identifier.FindAllString(line, -1), name) ||
			m != nil && slices.Contains(strings.Split(m[1], ", "), name)
	}
	if name == "" || len(line) > maxDefinition || !blockLanguage(language) {
		return false
	}
	if m := macro.FindStringSubmatch(line); m != nil && m[1] == name {
		return true
	}
	return definitionIn(language, line).name == name || len(formsIn(language, line, name)) > 0 || defineCall.MatchString(line)
}

// goTop and goGrouped match the lines of Go that may declare a name at the top, and in a group, a struct or an interface.
var (
	goTop     = regexp.MustCompile(`^(?:func|type|var|const)\b`)
	goGrouped = regexp.MustCompile(`^\t+([A-Za-z_]\w*(?:, \w+)*) *(?:$|[ (=/*\[])`)
)

// valueSymbol returns the symbol of a value that is declared in a line. The name behind a closing brace
// belongs to the line that opens it.
func (b *blocks) valueSymbol(at int, owner, name string) Symbol {
	s := Symbol{name, at + 1, b.end(at + 1)}
	if strings.HasPrefix(strings.TrimSpace(b.code[at]), "}") {
		s.Start, s.End = b.opener(at)+1, at+1
	}
	if owner != "" {
		s.Name = owner + "." + name
	}
	return s
}

// maxOpener bounds the lines between a brace and the line that opens it.
const maxOpener = 2000

// opener returns the line that opens the brace at the beginning of a line: the nearest one above that is
// indented alike and not a brace.
func (b *blocks) opener(at int) int {
	for i := at - 1; i >= max(at-maxOpener, 0); i-- {
		if b.kinds[i] == codeLine && b.indent[i] >= 0 && b.indent[i] <= b.indent[at] && strings.TrimSpace(b.code[i]) != "{" {
			return i
		}
	}
	return at
}

// macro and defineCall match definitions of constants by the preprocessor and in PHP.
var (
	macro      = regexp.MustCompile(`^\s*#\s*define\s+([A-Za-z_]\w*)`)
	defineCall = regexp.MustCompile(`^\s*define\(\s*['"](\w+)['"]`)
)

// maxMacro is the most lines of a macro.
const maxMacro = 500

// macroEnd returns the last line of a macro, counted from 1.
func (b *blocks) macroEnd(at int) int {
	last := min(at+maxMacro, len(b.lines)-1)
	for at < last && strings.HasSuffix(b.lines[at], `\`) {
		at++
	}
	return at + 1
}

// The lines that open a scope without a definition.
var (
	moduleWord   = regexp.MustCompile(`^\s*(?:export\s+|declare\s+|inline\s+|` + visible + `)*(?:namespace|mod|module)\b`)
	enumWord     = regexp.MustCompile(`^\s*(?:[\w()]+\s+)*enum\b`)
	structWord   = regexp.MustCompile(`^\s*(?:typedef\s+|static\s+|const\s+)*(?:struct|union|class)\b[^()=;]*\{?\s*$`)
	functionWord = regexp.MustCompile(`=>\s*[{(\[]?\s*$|\bfunction\b|\{\s*[\w, ]+->\s*$|\{[^}]*\bin\s*$|\bdo\s*(?:\|[^|]*\|)?\s*$|\bfn\(`)
	objectWord   = regexp.MustCompile(`(?:=|:|\(|return|default)\s*[{\[]\s*$`)
	objectName   = regexp.MustCompile(`([A-Za-z_$][\w$]*)\s*(?::[^=]*)?=\s*(?:[\w.$]+\()?[{\[]\s*$`)
)

// scope returns the kind of code around a line, and the names of the types around it.
func (b *blocks) scope(at int) (in scope, owner string) {
	var owners []string
	text := ""
	for level := 0; level < maxLevels; level++ {
		if at, text = b.outerHead(at); at < 0 {
			break
		}
		kind, name := b.opens(text)
		if in == 0 {
			in = kind
		}
		if name != "" && (kind == inType || kind == inEnum || kind == inObject && in == inObject && len(owners) == 0) {
			owners = append([]string{name}, owners...)
		}
	}
	if in == 0 {
		in = inModule
	}
	return in, strings.Join(owners[max(len(owners)-2, 0):], ".")
}

// openedScope is the scope that a line opens, and its name.
type openedScope struct {
	scope
	name string
}

// opens returns the scope that a line opens, and its name; 0 if it opens none.
func (b *blocks) opens(text string) (scope, string) {
	b.mu.Lock()
	o, known := b.scopes[text]
	b.mu.Unlock()
	if !known {
		o.scope, o.name = b.readScope(text)
		b.mu.Lock()
		b.scopes[text] = o
		b.mu.Unlock()
	}
	return o.scope, o.name
}

// readScope is opens without its memory.
func (b *blocks) readScope(text string) (scope, string) {
	d := b.defined(text)
	switch {
	case moduleWord.MatchString(text) && b.language != "Ruby":
		return inModule, ""
	case enumWord.MatchString(text):
		return inEnum, d.name
	case d.kind == KindType:
		return inType, d.name
	case d.kind == KindFunc:
		return inFunction, ""
	case structWord.MatchString(text):
		return inType, ""
	case functionWord.MatchString(text) && b.language != "Python":
		return inFunction, ""
	case IsScript(b.language) && objectWord.MatchString(text):
		if m := objectName.FindStringSubmatch(text); m != nil {
			return inObject, m[1]
		}
		return inObject, ""
	}
	return 0, ""
}
