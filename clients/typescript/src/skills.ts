// Skills: functions that programs keep and import, and packs of them.

import type * as m from "./models.js";
import { Part } from "./parts.js";
import { segment } from "./transport.js";

const skill = (name: string) => `/api/v1/skills/${segment(name)}`;

/** Functions that programs keep and import. */
export class Skills extends Part {
  /** The skills that one sees, the best first; all of them if the query is empty. */
  list(query = "", wanted: { limit?: number } = {}): Promise<m.Skill[]> {
    const params = { query: query || undefined, ...wanted };
    return this.transport.listed("skills", { method: "GET", path: "/api/v1/skills", params });
  }

  /** One skill with its source and examples; `name_v1` is its first version. */
  read(name: string, wanted: { version?: number } = {}): Promise<m.WholeSkill> {
    return this.transport.json({ method: "GET", path: skill(name), params: wanted });
  }

  /**
   * Saves the function of that name which the source defines, once its `examples` have run. Its parameters and its
   * value need types, and it needs a docstring or a `description`.
   */
  save(name: string, source: string, options: Omit<m.SkillDraft, "name" | "source"> = {}): Promise<m.Skill> {
    const json = { ...options, name, source };
    return this.transport.json({ method: "POST", path: "/api/v1/skills", json, isRun: true });
  }

  /** Runs its examples again with what was recorded, and marks it as they say. */
  test(name: string, wanted: { version?: number } = {}): Promise<m.SkillTested> {
    return this.transport.json({ method: "POST", path: `${skill(name)}/test`, params: wanted, isRun: true });
  }

  /** Takes a skill away, with all its versions; one's own, or that of `team:NAME` or `global`. */
  async remove(name: string, wanted: { scope?: string } = {}): Promise<void> {
    await this.transport.send({ method: "DELETE", path: skill(name), params: wanted });
  }

  /** The packs of the indexes that the gateway's operator named. */
  packs(): Promise<m.Pack[]> {
    return this.transport.listed("packs", { method: "GET", path: "/api/v1/packs" });
  }

  /** Installs a pack, or the one that has a skill of that name, for whoever `scope` says. */
  install(pack: string, options: m.PackInstall = {}): Promise<m.PackInstalled> {
    return this.transport.json({ method: "POST", path: `/api/v1/packs/${segment(pack)}/install`, json: options, isRun: true });
  }
}
