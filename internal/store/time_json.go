package store

import (
	"encoding/json"
	"time"
)

// Time converts microseconds since 1970, as stored in rows, to a UTC time.
func Time(us int64) time.Time { return time.UnixMicro(us).UTC() }

// TimeOrNil is like [Time], but returns nil for 0, which means that the time has not come. JSON shows nil
// as null or omits it.
func TimeOrNil(us int64) *time.Time {
	if us == 0 {
		return nil
	}
	return new(Time(us))
}

// JSON encodes a value of the service for a JSON column. It panics on a value without a JSON form (a
// channel, an infinite number), because that is a defect of the caller.
func JSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// FromJSON decodes a text from [JSON]. If the text does not fit T, it returns the readable part or the zero
// value, because a row edited by hand must not break a whole page. Use encoding/json for documents in which
// mistakes matter.
func FromJSON[T any](text string) (v T) {
	_ = json.Unmarshal([]byte(text), &v)
	return v
}
