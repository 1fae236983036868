/** Checks of the programs that experiments may need. */
import { advise, type CheckResult, type DoctorCheck, ok } from "./check.ts";

const ORIGINS = {
  given: "as you named it",
  found: "answers on 127.0.0.1:6379",
  private: "started for each experiment that needs it",
} as const;

export const redisCheck: DoctorCheck = {
  title: "Redis",
  run({ redis }): CheckResult {
    if (redis === null) {
      return advise(
        "none",
        "runs that need it are left out: apt-get install redis-server, or name one with --redis URL",
      );
    }
    if ("problem" in redis) return advise("does not answer", redis.problem);
    return ok(`${redis.version}, ${ORIGINS[redis.kind]}`);
  },
};

export const nginxCheck: DoctorCheck = {
  title: "nginx",
  run({ nginx }): CheckResult {
    if (nginx !== null) return ok(nginx);
    return advise("none", "targets that use it can't be started: apt-get install nginx");
  },
};
