package jsonrepair

import (
	"encoding/json"
	"strings"
	"testing"
)

// compact writes a value as JSON. A value that breaks off ends with "…".
func compact(v *Value) string {
	end := ""
	if !v.Whole {
		end = "…"
	}
	switch v.Kind {
	case Null:
		return "null"
	case Bool, Number:
		return v.Text
	case String:
		b, _ := json.Marshal(v.Text)
		return string(b) + end
	}
	var parts []string
	for i, it := range v.Items {
		text := compact(it)
		if v.Kind == Object {
			text = v.Keys[i] + ":" + text
		}
		parts = append(parts, text)
	}
	marks := "[]"
	if v.Kind == Object {
		marks = "{}"
	}
	return marks[:1] + strings.Join(parts, ",") + end + marks[1:]
}

func read(text string) string {
	var out []string
	for _, v := range Parse(text) {
		out = append(out, compact(v))
	}
	return strings.Join(out, " ")
}

func TestNearlyJSON(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ in, want string }{
		"plain":                          {`{"a": [1, -2.5e3, "x", true, null, {}]}`, `{a:[1,-2.5e3,"x",true,null,{}]}`},
		"nothing":                        {"No problems found.", ""},
		"a byte order mark and a fence":  {"\ufeffHere:\n```json\n{\"a\": 1}\n```\nDone.", `{a:1}`},
		"braces in a sentence":           {"I looked at `x = {}` and ${{ github.token }}, {foo} and {a, b}.\n{\"a\": 1} Replace {foo} with {bar}.", `{} {a:1}`},
		"brackets in a sentence":         {`See [the page](x) and item [1]. {"a": 1}`, `[1] {a:1}`},
		"a draft first":                  {"{\"a\": []}\n\nOn reflection:\n{\"a\": [2]}", `{a:[]} {a:[2]}`},
		"a brace opens and nothing else": {`The token {" opens a block. {"a": 1}`, `{a:1}`},
		"doubled braces":                 {`{{"a": 1}}`, `{a:1}`},
		"escapes of expressions":         {`{"a": "\d+\.\w\b \'x\' \(\Users\u12G \/"}`, `{a:"\\d+\\.\\w\\b 'x' \\(\\Users\\u12G /"}`},
		"escapes of JSON":                {`{"a": "\"\\\n\t\u00e9\ud83d\ude00\ud83d"}`, `{a:"\"\\\n\té😀�"}`},
		"raw line breaks and controls":   {"{\"a\": \"x\ny\tz\x01\"}", "{a:\"x\\ny\\tz\\u0001\"}"},
		"a folder ends with a backslash": {"{\n\"a\": \"C:\\dir\\\",\n\"b\": 1}", `{a:"C:\\dir\\",b:1}`},
		"quotes in a string":             {`{"a": "The value "foo" is {x} here", "b": "as "y"."}`, `{a:"The value \"foo\" is {x} here",b:"as \"y\"."}`},
		"trailing commas":                {`{"a": [1, 2,], "b": 3,}`, `{a:[1,2],b:3}`},
		"missing commas":                 {"{\"a\": \"x\"\n\"b\": [{\"c\": 1} {\"c\": 2}]\n\"d\": 3}", `{a:"x",b:[{c:1},{c:2}],d:3}`},
		"literals of Python":             {`{'a': None, 'b': True, 'c': "doesn't", 'd': 'doesn't'}`, `{a:null,b:true,c:"doesn't",d:"doesn't"}`},
		"names and words without marks":  {"{a: high, b: 12-14, c: NaN, d: -Infinity}", `{a:"high",b:"12-14",c:null,d:null}`},
		"comments":                       {"{\"a\": 1, // one\n /* two */ \"b\": \"x\", # three\n \"c\": \"http://x#y\"}", `{a:1,b:"x",c:"http://x#y"}`},
		"other marks of strings":         {"{“a”: “x”, \"b\": `y`, \"c\": \"\"\"line\n\"quoted\" \"\"\"}", `{a:"x",b:"y",c:"line\n\"quoted\" "}`},
		"broken off in a string":         {`{"a": [{"b": 1}, {"b": "x`, `{a:[{b:1},{b:"x"……}…]…}`},
		"broken off in a name":           {`{"a": [1, 2], "b`, `{a:[1,2]…}`},
		"broken off in a number":         {`{"a": [1, 2`, `{a:[1,2…]…}`},
		"wrong in the middle":            {`{"a": [{"b": 1}, {"b": ?}, {"b": 3}]}`, `{a:[{b:1},{…}…]…} {b:3}`},
		"a name that is too long":        {`{"` + strings.Repeat("n", 200) + `": 1, "a": {"b": 2}}`, `{b:2}`},
	} {
		if got := read(tt.in); got != tt.want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, tt.want)
		}
	}
}

// Valid JSON is read as it is.
func TestJSONIsReadAsItIs(t *testing.T) {
	t.Parallel()
	for _, in := range []string{
		`{"a":"x\", \"b\": 1","c":["\"","]","}",","],"d":"{\"e\":[1]}"}`,
		`{"quote":"fmt.Println(\"a\", \"b\")\n}","x":"say: \"yes\"","y":"","z":"\\"}`,
		`[[],[[{}]],{"":{" ":[""]}}]`,
	} {
		if got, want := canonical(t, Parse(in)[0]), in; got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

func canonical(t *testing.T, v *Value) string {
	t.Helper()
	switch v.Kind {
	case String:
		b, err := json.Marshal(v.Text)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	case List, Object:
		parts := make([]string, len(v.Items))
		for i, it := range v.Items {
			if parts[i] = canonical(t, it); v.Kind == Object {
				parts[i] = canonical(t, &Value{Kind: String, Text: v.Keys[i]}) + ":" + parts[i]
			}
		}
		if v.Kind == List {
			return "[" + strings.Join(parts, ",") + "]"
		}
		return "{" + strings.Join(parts, ",") + "}"
	}
	return v.Text
}

// Large and deeply nested files are read within bounds.
func TestBounds(t *testing.T) {
	t.Parallel()
	const size = 8 << 20
	for name, in := range map[string]string{
		"braces": strings.Repeat("{", size), "brackets": strings.Repeat("[", size), "quotes": `{"a":` + strings.Repeat(`"`, size),
		"names": strings.Repeat(`{"a":`, size/5), "wrong behind lists": strings.Repeat(`{"a":[1,1,1,1,1,1,1,`, size/20) + "?",
		"commas": `["` + strings.Repeat(`", "`, size/4), "backslashes": `{"a":"` + strings.Repeat(`\`, size), "comments": "{" + strings.Repeat("/*", size/2),
		"open strings": strings.Repeat(`{"a":"`, size/6), "white space": "[" + strings.Repeat("\" ", size/2), "long names": strings.Repeat(`{"`+strings.Repeat("n", 120), size/122),
	} {
		values := 0
		var count func(vs []*Value, depth int)
		count = func(vs []*Value, depth int) {
			if values += len(vs); depth > maxDepth+1 {
				t.Errorf("%s: deeper than %d", name, maxDepth)
				return
			}
			for _, v := range vs {
				count(v.Items, depth+1)
			}
		}
		if count(Parse(in), 0); values > maxValues+1 {
			t.Errorf("%s: %d values", name, values)
		}
	}
}

type sample struct {
	Name  string   `json:"name"`
	Line  int      `json:"line"`
	Doubt float64  `json:"doubt"`
	Same  bool     `json:"same"`
	Words []string `json:"words"`
	Fix   *part    `json:"fix"`
	Parts []part   `json:"parts"`
}

type part struct {
	Old string `json:"old"`
	New string `json:"new"`
}

func (p *part) ReadText(s string) { p.New = s }

func TestInto(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`{"NAME": 7, "line": "L12", "doubt": "20%", "same": "yes", "words": "x", "fix": "y", "parts": {"old": "a"}}`: `{"name":"7","line":12,"doubt":0.2,"same":true,"words":["x"],"fix":{"old":"","new":"y"},"parts":[{"old":"a","new":""}]}`,
		`{"name": ["a", 1], "line": 12.0, "doubt": NaN, "fix": "none", "words": null, "parts": ["z"]}`:               `{"name":"a\n1","line":12,"doubt":0,"same":false,"words":null,"fix":null,"parts":[{"old":"","new":"z"}]}`,
		`{"line": [3, 4], "fix": [{"new": "b"}], "parts": []}`:                                                       `{"name":"","line":3,"doubt":0,"same":false,"words":null,"fix":{"old":"","new":"b"},"parts":[]}`,
	} {
		var got sample
		err := Parse(in)[0].Into(&got)
		if b, _ := json.Marshal(got); err != nil || string(b) != want {
			t.Errorf("%s: %s, %v", in, b, err)
		}
	}
	for _, in := range []string{`{"name": {"a": 1}}`, `{"line": "many"}`, `{"same": "perhaps"}`, `{"fix": 1.5, "parts": [[]]}`, `{"line": true}`} {
		if err := Parse(in)[0].Into(new(sample)); err == nil {
			t.Errorf("%s was read", in)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{`{"a":[{"b":"\d"},{'c':None,}]} {"a`, "```\n{a: 1 // x\n}```", `["“x”", """y""", 1-2]`, `{"a":"b"\u`, "{\"a\": \"C:\\\",\n\"b\":1}"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, v := range Parse(s) {
			_ = v.Into(new(sample))
		}
		Unescape(s)
		var strict any
		if d := strings.TrimSpace(s); strings.HasPrefix(d, "[") && json.Unmarshal([]byte(s), &strict) == nil && !strings.Contains(s, `\b`) {
			if vs := Parse(s); len(vs) != 1 && strings.Count(s, "[")+strings.Count(s, "{") < maxDepth && len(s) < maxKey {
				t.Errorf("%q: %d values", s, len(vs))
			}
		}
	})
}
