package outbound

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func TestReadJSON(t *testing.T) {
	t.Parallel()
	bound := Bound{Bytes: 1 << 20, Memory: 1 << 20, Entries: 3}
	many := func(part string, n int) string { return strings.TrimSuffix(strings.Repeat(part+",", n), ",") }
	for name, c := range map[string]struct{ body, reason string }{
		"nothing":                          {"", ""},
		"a list":                           {`[1, {"a": [1,2,3,4,5]} , [] ]`, ""},
		"a longer list":                    {`[1,2,3,4]`, "more than 3 entries"},
		"a longer list with space":         {"[ {} ,\n {},{}\t,{} ]", "more than 3 entries"},
		"a list in an object":              {`{"total": 4, "items": [1,2,3]}`, ""},
		"a longer list in an object":       {`{"total": 4, "items": [1,2,3,4]}`, "more than 3 entries"},
		"one of two lists is longer":       {`{"a":[],"b":[[],[],[],[]]}`, "more than 3 entries"},
		"commas in texts":                  {`["a,b,c,d,e,[[[[","\",\",,,,\\"]`, ""},
		"a deeper list is bounded below":   {`[[1,2,3,4,5]]`, ""},
		"deepest":                          {strings.Repeat("[", 100) + strings.Repeat("]", 100), ""},
		"too deep":                         {strings.Repeat(`{"a":`, 101), "nested deeper"},
		"objects":                          {`[[` + many(`{}`, 3000) + `]]`, "more values than fit"},
		"arrays":                           {`[[` + many(`[]`, 20_000) + `]]`, "more values than fit"},
		"numbers":                          {`[[` + many(`0`, 40_000) + `]]`, "more values than fit"},
		"some numbers":                     {`[[` + many(`0`, 20_000) + `]]`, ""},
		"members":                          {`[{` + many(`"":0`, 20_000) + `}]`, "more values than fit"},
		"events":                           {"event: message\ndata: {\"result\": {\"tools\": [" + many(`{}`, 3000) + "]}}\n\n", "more values than fit"},
		"a quotation mark in an event":     {"id: \"\nevent: it's\ndata: {\"result\": {\"tools\": [" + many(`{}`, 3000) + "]}}\n\n", "more values than fit"},
		"a backslash at the end of a line": {"[[\"\\\n" + many(`{}`, 3000) + "]]", "more values than fit"},
		"a backslash before a return":      {"[[\"\\\r" + many(`{}`, 3000) + "]]", "more values than fit"},
		"brackets that close nothing":      {strings.Repeat("]}", 100) + `[1,2,3,4]`, "more than 3 entries"},
		"one text":                         {`"` + strings.Repeat("a", 1<<20) + `"`, "more than 1048576 bytes"},
	} {
		for way, r := range map[string]func(string) (string, error){
			"whole": func(s string) (string, error) { b, err := readJSON(strings.NewReader(s), bound); return string(b), err },
			"by bytes": func(s string) (string, error) {
				b, err := readJSON(iotest.OneByteReader(strings.NewReader(s)), bound)
				return string(b), err
			},
		} {
			got, err := r(c.body)
			var e *BoundError
			switch {
			case c.reason == "" && (err != nil || got != c.body):
				t.Errorf("%s, %s: %d bytes, %v", name, way, len(got), err)
			case c.reason != "" && (!errors.As(err, &e) || !errors.Is(err, ErrTooLarge) || !strings.Contains(e.Reason, c.reason)):
				t.Errorf("%s, %s: %v", name, way, err)
			}
		}
	}
	for what, body := range map[string]string{
		"a comment hides the begin of a text": ": \"\\\ndata: [[" + many(`{}`, 3000),
		"a text continues in the next line":   "data: {\"a\":\"b\ndata: c\",\"d\":[" + many(`{}`, 3000) + "]}",
	} {
		if _, err := io.ReadAll(LimitJSON(strings.NewReader(body), bound)); !errors.Is(err, ErrTooLarge) || !strings.Contains(err.Error(), "does not end on its line") {
			t.Errorf("%s: %v", what, err)
		}
	}
	if _, err := ReadBytes(strings.NewReader("abc"), 2); !errors.Is(err, ErrTooLarge) {
		t.Errorf("three of two bytes: %v", err)
	}
	if b, err := ReadBytes(strings.NewReader("ab"), 2); err != nil || string(b) != "ab" {
		t.Errorf("two of two bytes: %q, %v", b, err)
	}
}

// Answers are bounded before they are decoded, by their bytes and by the memory that decoding takes.
func TestLargeAnswersAreNotReadWhole(t *testing.T) {
	t.Parallel()
	r := strings.NewReader("[" + strings.Repeat("{},", 1<<20))
	_, err := readJSON(r, Bound{Bytes: 8 << 20, Memory: DefaultMemory, Entries: 50})
	if read := int(r.Size()) - r.Len(); err == nil || read > 64<<10 {
		t.Fatalf("%d bytes were read (%v)", read, err)
	}
}
