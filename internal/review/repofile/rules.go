package repofile

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml/ast"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/field"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/review/engine"
	"github.com/assay-dev/assay/internal/review/guideline"
)

// Bounds of the texts of an entry, in characters.
const (
	maxTitle       = 100
	maxInstruction = 1000
	maxLanguages   = 20
	maxLanguage    = 30
)

// addressed refuses texts that instruct the reviewer, as they are left out of guideline files.
const addressed = "must say what the code has to do; it seems to instruct the reviewer instead"

// entryFields are the fields of an entry, by the list that has it.
var entryFields = map[string][]string{
	policy.FileRules:        {"title", "instruction", "paths", "languages", "severity"},
	policy.FileInstructions: {"paths", "text"},
}

// notInRule says why a field of the interface's rules is not one of a file's rules.
var notInRule = map[string]string{
	"mandatory": "is not possible in the file, because it decides whether a merge is blocked; make the rule in assay",
	"matcher":   "is not possible in this file: rules with a pattern are made in the console or by the interface",
	"enabled":   "is not possible in the file; leave the rule out",
}

// entries reads the list of rules or instructions.
func (r *reader) entries(kind string, at policy.Place, n ast.Node) {
	list, ok := n.(*ast.SequenceNode)
	if !ok {
		r.refuse(at, kind+" must be a list")
		return
	}
	for i, v := range list.Values {
		if i == maxRules {
			r.refuse(placeOf(v), fmt.Sprintf("%s must have at most %d entries; the rest is left out", kind, maxRules))
			return
		}
		place := fmt.Sprintf("%s[%d]", kind, i)
		pairs, ok := mapping(v)
		if !ok {
			r.refuse(placeOf(v), place+" must be a group with "+strings.Join(entryFields[kind], ", "))
			continue
		}
		e := entry{reader: r, kind: kind, place: place, rule: policy.FileRule{Place: placeOf(v), Kind: kind,
			Severity: domain.GuidelineSeverity.String()}}
		switch {
		case !e.read(pairs):
		case slices.ContainsFunc(r.file.Rules, func(o policy.FileRule) bool { return o.ID == e.rule.ID }):
			r.refuse(e.rule.Place, place+" repeats an earlier entry; the first one counts")
		default:
			r.file.Rules = append(r.file.Rules, e.rule)
		}
	}
}

// entry is one rule or instruction.
type entry struct {
	*reader
	kind, place string
	rule        policy.FileRule
	bad         bool
}

func (e *entry) wrong(at policy.Place, message string) {
	e.bad = true
	e.refuse(at, message)
}

// read reads the fields, and reports whether the entry has an effect.
func (e *entry) read(pairs []*ast.MappingValueNode) bool {
	for _, p := range pairs {
		key, ok := p.Key.(*ast.StringNode)
		if !ok {
			e.wrong(placeOf(p.Key), e.place+": a name must be plain text")
			continue
		}
		switch known := slices.Contains(entryFields[e.kind], key.Value); {
		case known:
			e.field(key.Value, placeOf(p.Key), p.Value)
		case e.kind == policy.FileRules && notInRule[key.Value] != "":
			e.wrong(placeOf(p.Key), e.place+"."+key.Value+" "+notInRule[key.Value])
		default:
			e.wrong(placeOf(p.Key), e.place+": "+e.unknown(key.Value, entryFields[e.kind]))
		}
	}
	if e.bad {
		return false
	}
	switch {
	case e.rule.Instruction == "" && e.kind == policy.FileRules:
		e.wrong(e.rule.Place, e.place+" needs an instruction")
	case e.rule.Instruction == "":
		e.wrong(e.rule.Place, e.place+" needs a text")
	case e.rule.Title == "" && e.kind == policy.FileRules:
		e.wrong(e.rule.Place, e.place+" needs a title")
	case !e.room(e.place, e.rule.Place, len(e.rule.Paths)):
		return false
	}
	if e.rule.Title == "" {
		e.rule.Title = clip.Runes(strings.Join(strings.Fields(e.rule.Instruction), " "), maxTitle, "…")
	}
	sum := sha256.Sum256([]byte(strings.Join([]string{e.kind, e.rule.Title, e.rule.Instruction, strings.Join(e.rule.Paths, "\x00")}, "\x01")))
	e.rule.ID = "fil_" + hex.EncodeToString(sum[:12])
	return !e.bad
}

// field reads one field.
func (e *entry) field(name string, at policy.Place, n ast.Node) {
	var c field.Check
	switch name {
	case "title":
		e.rule.Title = e.text(name, at, n, maxTitle)
		c.Line("", e.rule.Title)
		c.That(!guideline.AddressesReviewer(e.rule.Title), "", addressed)
	case "instruction", "text":
		e.rule.Instruction = e.text(name, at, n, maxInstruction)
		c.Text("", e.rule.Instruction)
		c.That(!guideline.AddressesReviewer(e.rule.Instruction), "", addressed)
	case "severity":
		v, _ := scalar(n)
		e.rule.Severity, _ = v.(string)
		_, ok := domain.ParseSeverity(e.rule.Severity)
		c.That(ok, "", "must be one of critical, high, medium, low, info")
	case "paths":
		var ok bool
		e.rule.Paths, ok = textList(n)
		c.That(ok, "", fmt.Sprintf("must be a list of at most %d path patterns", maxPaths))
		c.Globs("", e.rule.Paths)
	case "languages":
		var ok bool
		e.rule.Languages, ok = textList(n)
		c.That(ok && len(e.rule.Languages) <= maxLanguages, "", fmt.Sprintf("must be a list of at most %d names of languages", maxLanguages))
		for i, l := range e.rule.Languages {
			c.That(l != "" && len(l) <= maxLanguage && field.Plain(l), field.At("", i), "must be the name of a language, such as go")
			e.rule.Languages[i] = strings.ToLower(l)
		}
	}
	if wrong := c.Fields(); len(wrong) > 0 {
		e.wrong(entryPlace(n, wrong[0].Pointer, at), e.place+"."+name+" "+wrong[0].Message)
	}
}

// text reads a text of at most so many characters.
func (e *entry) text(name string, at policy.Place, n ast.Node, most int) string {
	v, _ := scalar(n)
	text, ok := v.(string)
	text = strings.TrimSpace(text)
	if !ok || text == "" || utf8.RuneCountInString(text) > most {
		e.wrong(at, fmt.Sprintf("%s.%s must be text of at most %d characters", e.place, name, most))
		return ""
	}
	return text
}

// Rule converts a rule of a file for the engine. Like sentences of guideline files, the engine handles its texts as data.
func Rule(r policy.FileRule) engine.Rule {
	out := engine.Rule{ID: r.ID, Title: r.Title, Instruction: r.Instruction, Paths: r.Paths, Languages: r.Languages, File: policy.FileName}
	out.Severity, _ = domain.ParseSeverity(r.Severity)
	return out
}
