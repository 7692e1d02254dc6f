package httpapi

import (
	"encoding/json"
	"testing"
)

// FuzzDecodeJSON checks that text which the strict reader accepts is JSON, and that the standard reader
// decodes the same value.
func FuzzDecodeJSON(f *testing.F) {
	for _, seed := range []string{`{}`, `{"a":1,"a":2}`, `{"a":{"b":[1,2,{"c":null}]}}`, `[[[[`, `{"a":1}{}`, `"\ud800"`, `{"\u0061":1,"a":2}`, ` 1 `, ``} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var v any
		if err := decodeJSON(data, &v); err != nil {
			return
		}
		if !json.Valid(data) {
			t.Fatal("accepted text that is not JSON")
		}
	})
}

func TestDecodeJSONRefusesDuplicates(t *testing.T) {
	t.Parallel()
	for text, ok := range map[string]bool{
		`{"a":1,"b":{"a":1}}`: true, `[{"a":1},{"a":1}]`: true, `{"a":1,"a":1}`: false, `{"b":[{"a":1,"a":1}]}`: false, `{"\u0061":1,"a":2}`: false, `{"a":1} x`: false,
	} {
		var v any
		if err := decodeJSON([]byte(text), &v); (err == nil) != ok {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// FuzzCursor checks that a foreign cursor is refused or gives a plausible position.
func FuzzCursor(f *testing.F) {
	f.Add(writeCursor("1700000000000000", "run_1"))
	f.Add("")
	f.Add("a.b")
	f.Fuzz(func(t *testing.T, cursor string) {
		c, err := timeCursor(cursor)
		if err == nil && cursor != "" && (c.US < 0 || !plausibleID(c.ID)) {
			t.Fatalf("%q became %+v", cursor, c)
		}
	})
}
