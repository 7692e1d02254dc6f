package toolsettings

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/assay-dev/assay/internal/field"
	"github.com/assay-dev/assay/internal/policy"
)

// Source is the place of a value in a settings file.
type Source struct {
	File  string `json:"file"`
	Line  int    `json:"line,omitempty"` // absent if it is not known
	Place string `json:"place,omitempty"`
}

// Setting is a setting of the policy with the value that it came from.
type Setting struct {
	Setting string `json:"setting"` // such as paths.exclude
	Source
}

// Unmapped is a value of a settings file that no setting of the policy and no rule stands for.
type Unmapped struct {
	Source
	Reason string `json:"reason"`
}

// Rule is a rule to create: the body of POST R/rules.
type Rule struct {
	Title       string   `json:"title"`
	Instruction string   `json:"instruction"`
	Paths       []string `json:"paths,omitempty"`
	Severity    string   `json:"severity"`
}

// SourcedRule is a rule with the text that it came from.
type SourcedRule struct {
	Rule   Rule   `json:"rule"`
	Source Source `json:"source"`
}

// Result is what settings files become.
type Result struct {
	Policy   policy.RepositoryPolicyUpdate `json:"policy"`   // the body of PUT R/policy
	Settings []Setting                     `json:"settings"` // one for each setting of the policy
	Rules    []SourcedRule                 `json:"rules"`
	Unmapped []Unmapped                    `json:"unmapped"`
}

// Limits of a rule, as the interface has them.
const (
	maxRuleText = 4000 // characters
	maxTitle    = 200
)

// Map maps settings files, by their names, to a repository policy and rules. guidelines has the paths of files of
// other review tools that are text, such as REVIEW.md. The value of the first file counts where two give the same
// setting. Errors: a file error.
func Map(files map[string][]byte, guidelines []string) (Result, error) {
	m := &mapper{taken: map[string]Source{}}
	m.out = Result{Rules: []SourcedRule{}, Settings: []Setting{}, Unmapped: []Unmapped{}}
	for _, tool := range []struct {
		file     string
		handlers map[string]handler
		reasons  map[string]string
	}{
		{CodeRabbit, codeRabbit, codeRabbitReasons},
		{PRAgent, prAgent, prAgentReasons},
		{Greptile, greptile, greptileReasons},
		{Gemini, gemini, geminiReasons},
	} {
		content, there := files[tool.file]
		if !there {
			continue
		}
		var err error
		if m.document, err = parse(tool.file, content); err != nil {
			return Result{}, err
		}
		m.handlers, m.reasons = tool.handlers, tool.reasons
		m.group("", m.root)
		if err := m.rules(content); err != nil {
			return Result{}, err
		}
	}
	for _, file := range guidelines {
		if on := m.out.Policy.GuidelineFiles; on != nil && *on {
			break
		}
		if reason := m.set(Source{File: file}, "guidelineFiles", true); reason != "" {
			m.drop(Source{File: file}, reason)
		}
	}
	return m.out, nil
}

// handler maps one value. It returns the reason if it cannot.
type handler func(m *mapper, at Source, v any) (reason string)

type mapper struct {
	document
	handlers map[string]handler
	reasons  map[string]string
	taken    map[string]Source // setting to the value that gave it
	out      Result
}

// group maps the values of a group of settings, by name.
func (m *mapper) group(place string, group map[string]any) {
	for _, name := range slices.Sorted(maps.Keys(group)) {
		at, v := join(place, name), group[name]
		source := Source{m.file, m.lines[at], at}
		if text, bad := v.(unsupported); bad {
			m.drop(source, string(text))
			continue
		}
		if h, known := m.handlers[at]; known {
			if reason := h(m, source, v); reason != "" {
				m.drop(source, reason)
			}
			continue
		}
		inner, isGroup := v.(map[string]any)
		switch leads := m.leads(at); {
		case leads && isGroup:
			m.group(at, inner)
		case leads && m.reasons[at] == "":
			m.drop(source, "must be a group of settings")
		default:
			m.drop(source, m.reason(at))
		}
	}
}

// leads reports whether a known setting is below a place.
func (m *mapper) leads(place string) bool {
	for name := range m.handlers {
		if strings.HasPrefix(name, place+".") {
			return true
		}
	}
	for name := range m.reasons {
		if strings.HasPrefix(name, place+".") {
			return true
		}
	}
	return false
}

// reason says why a place is not taken over: the reason of the place, or of the nearest group around it.
func (m *mapper) reason(place string) string {
	asked := place
	for {
		if why := m.reasons[place]; why != "" {
			return why
		}
		end := strings.LastIndexByte(place, '.')
		if end < 0 {
			return m.unknown(asked)
		}
		place = place[:end]
	}
}

// unknown is the reason for a place that the tool does not have. It names the place where the tool has a setting of this name, if
// there is exactly one.
func (m *mapper) unknown(place string) string {
	name := place[strings.LastIndexByte(place, '.')+1:]
	var known []string
	for at := range m.handlers {
		for group := at; ; {
			if group == name || strings.HasSuffix(group, "."+name) {
				known = append(known, group)
			}
			end := strings.LastIndexByte(group, '.')
			if end < 0 {
				break
			}
			group = group[:end]
		}
	}
	slices.Sort(known)
	if known = slices.Compact(known); len(known) == 1 {
		return "stands at another place than the tool reads it, which is " + known[0]
	}
	return "assay does not know this setting"
}

func (m *mapper) drop(at Source, reason string) {
	m.out.Unmapped = append(m.out.Unmapped, Unmapped{at, reason})
}

// rules makes rules of the instructions of a file.
func (m *mapper) rules(content []byte) error {
	list, unread, err := Instructions(m.file, content)
	if err != nil {
		return err
	}
	for _, place := range unread {
		m.drop(Source{m.file, m.lines[place], place}, "must be a text with at most 20 valid patterns, none with an exclamation mark before it, "+
			"within 40 texts, and without anchors of YAML")
	}
	for _, i := range list {
		at := Source{m.file, i.Line, i.Place}
		text := strings.TrimSpace(i.Text)
		if utf8.RuneCountInString(text) > maxRuleText {
			m.drop(at, fmt.Sprintf("a rule has at most %d characters: split the text", maxRuleText))
			continue
		}
		title := m.file + ": " + i.Place
		if len(i.Paths) > 0 {
			title = m.file + ": " + strings.Join(i.Paths, ", ")
		}
		if utf8.RuneCountInString(title) > maxTitle {
			title = string([]rune(title)[:maxTitle])
		}
		m.out.Rules = append(m.out.Rules, SourcedRule{Rule{Title: title, Instruction: text, Paths: i.Paths, Severity: "medium"}, at})
	}
	return nil
}

// set gives a setting of the policy a value. The reason says why it cannot: an earlier value gave it another one, or
// the policy does not take the value.
func (m *mapper) set(at Source, setting string, v any) (reason string) {
	if first, is := m.taken[setting]; is {
		return fmt.Sprintf("%s comes from %s already", setting, first)
	}
	given := v
	for _, name := range slices.Backward(strings.Split(setting, ".")) {
		given = map[string]any{name: given}
	}
	raw, err := json.Marshal(given)
	if err == nil {
		raw, err = merge(m.out.Policy, raw)
	}
	var next policy.RepositoryPolicyUpdate
	if err != nil || json.Unmarshal(raw, &next) != nil {
		return fmt.Sprintf("%s does not take a value of this kind", setting)
	}
	c := &field.Check{}
	next.Validate(c)
	if fields := c.Fields(); len(fields) > 0 {
		return fmt.Sprintf("%s %s", setting, fields[0].Message)
	}
	m.out.Policy, m.taken[setting] = next, at
	m.out.Settings = append(m.out.Settings, Setting{setting, at})
	return ""
}

// merge returns the JSON of a policy with further settings.
func merge(p policy.RepositoryPolicyUpdate, further []byte) ([]byte, error) {
	raw, err := json.Marshal(p)
	if err != nil {
		return nil, err
	}
	var base, more map[string]any
	if err := json.Unmarshal(raw, &base); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(further, &more); err != nil {
		return nil, err
	}
	return json.Marshal(overlay(base, more))
}

func overlay(base, more map[string]any) map[string]any {
	for k, v := range more {
		inner, isGroup := v.(map[string]any)
		there, both := base[k].(map[string]any)
		if isGroup && both {
			v = overlay(there, inner)
		}
		base[k] = v
	}
	return base
}

// String returns the file, the line and the place.
func (s Source) String() string {
	out := s.File
	if s.Line > 0 {
		out = fmt.Sprintf("%s:%d", s.File, s.Line)
	}
	if s.Place != "" {
		out += " " + s.Place
	}
	return out
}

// ignored means that another part of the mapping reads the value.
func ignored(*mapper, Source, any) string { return "" }

// truth maps a truth value to a setting.
func truth(setting string) handler {
	return func(m *mapper, at Source, v any) string {
		on, ok := v.(bool)
		if !ok {
			return "must be true or false"
		}
		return m.set(at, setting, on)
	}
}

// choice maps a word, in any letter case, to the value of a setting.
func choice(setting string, values map[string]string) handler {
	return func(m *mapper, at Source, v any) string {
		word, _ := v.(string)
		value, ok := values[strings.ToLower(word)]
		if !ok {
			return "must be one of " + strings.Join(slices.Sorted(maps.Keys(values)), ", ")
		}
		return m.set(at, setting, value)
	}
}

// number maps a whole number from low to high to a setting.
func number(setting string, low, high int64) handler {
	return func(m *mapper, at Source, v any) string {
		n, ok := v.(int64)
		if !ok || n < low || n > high {
			return fmt.Sprintf("%s takes whole numbers from %d to %d", setting, low, high)
		}
		return m.set(at, setting, n)
	}
}

// names maps a list of names to a setting that takes at most some.
func names(setting string, most int) handler {
	return func(m *mapper, at Source, v any) string {
		list, ok := texts(v)
		if !ok || len(list) > most {
			return fmt.Sprintf("must be a list of at most %d texts", most)
		}
		if len(list) == 0 {
			return ""
		}
		return m.set(at, setting, list)
	}
}

func texts(v any) (out []string, ok bool) {
	list, is := v.([]any)
	for _, one := range list {
		text, isText := one.(string)
		if !isText {
			return nil, false
		}
		out = append(out, text)
	}
	return out, is || v == nil
}

func distinct(list []string) (out []string) {
	for _, v := range list {
		if !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	return out
}
