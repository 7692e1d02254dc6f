package hostile

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// family is the resident memory of a process and all below it in MiB, as the
// kernel says; 0 where it does not.
func family(pid int) int {
	sum := 0
	if b, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid)); err == nil {
		if f := strings.Fields(string(b)); len(f) > 1 {
			pages, _ := strconv.Atoi(f[1])
			sum = pages * os.Getpagesize() >> 20
		}
	}
	tasks, _ := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
	for _, task := range tasks { // children are kept by the thread that made them
		b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%s/children", pid, task.Name()))
		for child := range strings.FieldsSeq(string(b)) {
			if id, err := strconv.Atoi(child); err == nil {
				sum += family(id)
			}
		}
	}
	return sum
}
