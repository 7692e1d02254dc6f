package store

import (
	"encoding/json"
	"time"
)

// Time is a time as rows keep it, in microseconds since 1970, as a value in UTC.
func Time(us int64) time.Time { return time.UnixMicro(us).UTC() }

// TimeOrNil is [Time] for a column in which 0 says that the time has not come;
// it is nil then, which JSON shows as null or leaves out.
func TimeOrNil(us int64) *time.Time {
	if us == 0 {
		return nil
	}
	return new(Time(us))
}

// JSON is the text that a column of JSON gets for a value that the service
// itself made. It panics on a value that has no form in JSON (a channel, an
// infinite number), which is a defect of the caller.
func JSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// FromJSON reads what [JSON] wrote. Text that does not fit T gives what could
// be read of it, else the zero value: a row that somebody changed by hand must
// not take a whole page down. Documents for which a mistake matters are
// decoded with encoding/json.
func FromJSON[T any](text string) (v T) {
	_ = json.Unmarshal([]byte(text), &v)
	return v
}
