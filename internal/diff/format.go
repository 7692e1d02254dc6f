package diff

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/regexp"
)

// jsonObject reports whether a text is one JSON object with all wanted members and no members except wanted
// and others.
func jsonObject(content []byte, wanted []string, others ...string) bool {
	var members map[string]json.RawMessage
	if json.Unmarshal(content, &members) != nil {
		return false
	}
	for name := range members {
		if !slices.Contains(wanted, name) && !slices.Contains(others, name) {
			return false
		}
	}
	return !slices.ContainsFunc(wanted, func(name string) bool { return members[name] == nil })
}

// Recorded server answers: VCR, vcrpy, go-vcr, Betamax and PHP-VCR in YAML or JSON, Polly and browsers as
// HAR, nock as a list.
var (
	recordingTop  = words("http_interactions interactions version recorded_with recorded_at")
	recordingItem = words(`request response recorded_at id index duration recorded_with`)
	recordingTags = regexp.MustCompile(`(^|[\s:\[{,-])!{1,2}(ruby|python|php|perl|js|java|hs|lua)\b`)
	yamlKey       = regexp.MustCompile(`^("[\w-]+"|'[\w-]+'|[\w-]+)\s*:(\s|$)`)
	nockMembers   = words(`scope method path body status response rawHeaders headers reqheaders responseIsBinary badheaders options`)
)

// isRecording reports whether a text contains only recorded server answers.
func isRecording(content []byte) bool {
	if trimmed := bytes.TrimSpace(content); len(trimmed) > 0 && (trimmed[0] == '{' || trimmed[0] == '[') {
		return isJSONRecording(trimmed)
	}
	return !recordingTags.Match(content) && isYAMLRecording(content)
}

func isJSONRecording(content []byte) bool {
	var list []map[string]json.RawMessage
	if content[0] == '[' {
		return json.Unmarshal(content, &list) == nil && len(list) > 0 && !slices.ContainsFunc(list, func(item map[string]json.RawMessage) bool {
			return (item["scope"] == nil || !only(item, nockMembers)) && (item["request"] == nil || !only(item, recordingItem))
		})
	}
	if jsonObject(content, []string{"log"}) {
		var har struct{ Log json.RawMessage }
		return json.Unmarshal(content, &har) == nil &&
			jsonObject(har.Log, []string{"entries"}, "_recordingName", "version", "creator", "browser", "pages", "comment")
	}
	var top map[string]json.RawMessage
	if json.Unmarshal(content, &top) != nil || !only(top, recordingTop) && !jsonObject(content, []string{"httpInteractions"}) {
		return false
	}
	for _, name := range []string{"http_interactions", "interactions", "httpInteractions"} {
		if raw := top[name]; raw != nil {
			if json.Unmarshal(raw, &list) != nil {
				return false
			}
			return !slices.ContainsFunc(list, func(item map[string]json.RawMessage) bool { return !only(item, recordingItem) })
		}
	}
	return false
}

func only(members map[string]json.RawMessage, known map[string]bool) bool {
	for name := range members {
		if !known[name] {
			return false
		}
	}
	return true
}

// isYAMLRecording parses the two outer levels of a recording in YAML, in the usual layout: members at the
// top, and a list of interactions. The values below them are data.
func isYAMLRecording(content []byte) bool {
	r := yamlRecording{list: -1, member: -1}
	content, _ = bytes.CutPrefix(content, []byte("---"))
	return everyLine(content, r.line) && r.found
}

// yamlRecording is the state of the parser of a recording.
type yamlRecording struct {
	began, found, inList bool
	list, member         int // columns of interactions and of their members, -1 while unknown
}

func (r *yamlRecording) line(line []byte) bool {
	text := strings.TrimRight(string(line), " \t")
	indent := len(text) - len(strings.TrimLeft(text, " "))
	text = text[indent:]
	if strings.HasPrefix(text, "#") {
		return true
	}
	rest, item := strings.CutPrefix(text, "-")
	item = item && (rest == "" || rest[0] == ' ')
	if indent == 0 && !item {
		return r.top(text)
	}
	if !r.began { // PHP-VCR writes a bare list
		r.began, r.inList, r.found = true, true, true
	}
	if r.list < 0 {
		r.list = indent
	}
	inner := strings.TrimLeft(rest, " ")
	switch {
	case !r.inList:
		return false
	case item && indent == r.list && inner == "":
		r.member = -1
		return true
	case item && indent == r.list:
		r.member = indent + len(text) - len(inner)
		return recordingItem[keyOf(inner)]
	case indent <= r.list, r.member >= 0 && indent < r.member:
		return false
	case r.member < 0 || indent == r.member:
		r.member = indent
		return item || recordingItem[keyOf(text)]
	}
	return true
}

// top parses a member at the top level.
func (r *yamlRecording) top(text string) bool {
	name := keyOf(text)
	value := strings.TrimSpace(text[strings.IndexByte(text, ':')+1:])
	r.began, r.list, r.member = true, -1, -1
	r.inList = name == "interactions" || name == "http_interactions"
	r.found = r.found || r.inList
	if r.inList {
		return value == "" || value == "[]"
	}
	return recordingTop[name] && value != "" && !strings.ContainsAny(value, "|>{[&*!")
}

// keyOf returns the key at the beginning of a YAML line, or "".
func keyOf(text string) string {
	if m := yamlKey.FindStringSubmatch(text); m != nil {
		return strings.Trim(m[1], `"'`)
	}
	return ""
}

var (
	snapshotHeader = regexp.MustCompile(`^// (Jest|Vitest) Snapshot v\d[ -~]*\r?\n\s*`)
	amberLine      = regexp.MustCompile(`^(# (serializer version: \d+|name: .*|---|\.\.\.)|  .*)$`)
	instaHeader    = regexp.MustCompile(`^---\r?\n((source|expression|description|info|assertion_line|input_file|snapshot_kind|` +
		`created|creator|snapshot_type|extension): .*\r?\n|  [^\n]*\n)*---\r?\n`)
)

// isSnapshot reports whether a text contains only test snapshots. Jest and Vitest snapshots are programs;
// they count only if they just assign names to strings without expressions.
func isSnapshot(content []byte) bool {
	switch {
	case bytes.HasPrefix(content, []byte("# serializer version")):
		return everyLine(content, amberLine.Match)
	case bytes.HasPrefix(content, []byte("---")):
		header := instaHeader.Find(content)
		return header != nil && everyLine(content[len(header):], func(line []byte) bool { return !codeLine(line) })
	}
	header := snapshotHeader.Find(content)
	rest := content[len(header):]
	if len(header) == 0 && len(rest) == 0 {
		return false
	}
	for len(rest) > 0 {
		var ok bool
		if rest, ok = cutTemplate(rest, "exports[", "] = "); !ok {
			return false
		}
		if rest, ok = cutTemplate(rest, "", ";"); !ok {
			return false
		}
		rest = bytes.TrimLeft(rest, " \t\r\n")
	}
	return true
}

// cutTemplate removes a JavaScript template literal without expressions from the beginning of a text,
// together with the given text before and after it.
func cutTemplate(text []byte, before, after string) ([]byte, bool) {
	text, ok := bytes.CutPrefix(text, []byte(before+"`"))
	if !ok {
		return nil, false
	}
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '\\':
			i++
		case text[i] == '$' && i+1 < len(text) && text[i+1] == '{':
			return nil, false
		case text[i] == '`':
			return bytes.CutPrefix(text[i+1:], []byte(after))
		}
	}
	return nil, false
}

// rubySchemaLine matches lines of db/schema.rb as Rails writes them. Ruby runs the file, so only calls with
// literals match.
var rubySchemaLine = func() *regexp.Regexp {
	text := `(?:"(?:\\.|[^"\\#]|#[^{$@"\\])*"|'[^'\\]*')`
	scalar := `(?:` + text + `|:\w+|:` + text + `|-?[\d_.]+|true|false|nil)`
	pair := `(?:\w+: ?|` + text + `(?: => |: )|:\w+ => )` + scalar
	value := `(?:` + scalar + `|\[(?:` + scalar + `(?:, )?)*\]|\{ ?(?:` + pair + `(?:, )?)* ?\}|-> \{ ` + text + ` \}|ActiveRecord::Schema)`
	options := `(?:\w+: |:\w+ => |` + text + ` => )?` + value
	arguments := `(?: ` + options + `(?:, ` + options + `)*)?`
	return regexp.MustCompile(`^\s*(?:#.*|end|ActiveRecord::Schema(?:\[[\d.]+\])?\.define\((?:version: [\d_]+)?\) do|` +
		`(?:create_table|add_foreign_key|add_index|add_check_constraint|enable_extension|create_enum|create_schema)` + arguments +
		`(?: do \|t\|)?|t\.[a-z_0-9]+` + arguments + `)\s*$`)
}()

var rubySchemaStart = regexp.MustCompile(`(?m)^ActiveRecord::Schema(\[[\d.]+\])?\.define`)

func isRubySchema(content []byte) bool {
	return rubySchemaStart.Match(content) && everyLine(content, rubySchemaLine.Match)
}

// Statements of a dumped schema that only define tables and data. A dump with functions, triggers or client
// commands is code.
var (
	dumpStart     = regexp.MustCompile(`(?m)^(-- \w+ (database )?dump|SET statement_timeout = |/\*!40\d{3} SET )`)
	dumpStatement = regexp.MustCompile(`(?i)^(SET |SELECT pg_catalog\.set_config\(|CREATE (UNLOGGED )?TABLE |` +
		`ALTER (TABLE|SEQUENCE|INDEX|TYPE|SCHEMA) |CREATE SEQUENCE |` +
		`CREATE (UNIQUE )?INDEX |COMMENT ON |CREATE TYPE |CREATE EXTENSION |CREATE SCHEMA |DROP TABLE IF EXISTS |INSERT INTO ("|` + "`" +
		`)?(public"?\."?)?schema_migrations|` +
		`/\*!\d+ SET [^;]*\*/$|CREATE DOMAIN |CREATE COLLATION )`)
	dumpCode = regexp.MustCompile(`(?i)\$\w*\$|\b(FUNCTION|TRIGGER|PROCEDURE|PROGRAM|LANGUAGE|EXECUTE|OUTFILE|DUMPFILE|` +
		`dblink\w*|pg_read\w*|lo_import|lo_export|plpython\w*|plperlu?|pltclu?)\b`)
	dumpComment = regexp.MustCompile(`(?m)^(--.*|\\(un)?restrict \w+)\r?$`)
)

func isDump(content []byte) bool {
	if !dumpStart.Match(content) {
		return false
	}
	content = dumpComment.ReplaceAll(content, nil)
	if dumpCode.Match(content) || bytes.IndexByte(content, '\\') >= 0 {
		return false
	}
	for statement := range strings.SplitSeq(strings.ReplaceAll(string(content), "\r\n", "\n"), ";\n") {
		statement = strings.TrimSuffix(strings.TrimSpace(statement), ";")
		if statement != "" && (!dumpStatement.MatchString(statement) || strings.Contains(statement, ";")) {
			return false
		}
	}
	return true
}
